import { operations } from '@tailgate/sync-protocol';
import { endpoint } from '../answers/endpoint.ts';
import { AppError } from '../../wire/errors.ts';

/** The legacy host for diagnostics. Both calls reject within seconds where the host does not answer. */
export interface HostCatalog {
  /** The user and the code page of the service's job. */
  job(): Promise<HostJobFacts>;
  /** A file of the service's own library; the case of its name does not matter. Undefined for every other file. */
  describe(table: string): Promise<HostTableFacts | undefined>;
}

export interface HostJobFacts {
  readonly ccsid: number;
  readonly user: string;
  readonly job: string;
  readonly library: string;
}

export interface HostTableFacts {
  readonly library: string;
  readonly table: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly length: number;
    readonly scale: number;
    readonly nullable: boolean;
    readonly ccsid: number | null;
  }[];
}

/** Contract §7: the only endpoints that wait for the host. */
export function hostEndpoints(catalog: HostCatalog) {
  return {
    readHostJob: endpoint(operations.readHostJob, async () => ({ data: await orUnavailable(catalog.job()) })),

    readTableCcsids: endpoint(operations.readTableCcsids, async ({ params: { table_name } }) => {
      const table = await orUnavailable(catalog.describe(table_name));
      if (!table) throw new AppError('TABLE_NOT_FOUND');
      return { data: table };
    }),
  };
}

/** The cause may contain addresses and users, so it goes to the log and not to the caller. */
async function orUnavailable<Facts>(answer: Promise<Facts>): Promise<Facts> {
  try {
    return await answer;
  } catch (cause) {
    throw new AppError('HOST_UNAVAILABLE', { cause });
  }
}
