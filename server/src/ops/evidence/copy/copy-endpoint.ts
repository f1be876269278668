import { operations, type RouteKey } from '@tailgate/sync-protocol';
import { create as contentDisposition } from 'content-disposition';
import { fileReader } from '../../../assets/file-bytes.ts';
import { SharedCounters } from '../../../db/shared-counters.ts';
import { driverEndpoint } from '../../../http/answers/endpoint.ts';
import { bodyOf } from '../../../http/answers/file-answer.ts';
import { RawAnswer } from '../../../http/answers/raw-answer.ts';
import { requireAssigned } from '../../../http/answers/assigned.ts';
import { readPresent } from '../../../tlog/read-log.ts';
import { AppError } from '../../../wire/errors.ts';
import type { StopEvidence } from '../evidence.ts';
import { isInShadow } from '../evidence-sql.ts';
import { boundedPack, type PackSource } from '../make-pack.ts';
import { copyNameOf } from '../pack/names.ts';
import { copyBytes } from './copy-bytes.ts';

const hourMs = 3_600_000;
/** A driver shows one at a door; a program with a stolen token makes no more. */
const maxOfDriver = 60;

/** Drivers: the proof of a stop of their own route, as the copy for the customer. */
export function copyEndpoints(deps: PackSource) {
  const { db, store, clock } = deps;
  return {
    readStopProof: driverEndpoint(operations.readStopProof, async ({ request, query, driver }) => {
      const { facility, route_id: id, week_end } = query;
      await requireAssigned(db, { facility, id, week_end }, driver);
      const input = await boundedPack(deps, { ...query, customer: undefined, without: [] });
      const [stop] = input.evidence.stops;
      if (!stop || stop.status === 'P' || !stop.host.on_host) throw await refusalOf({ facility, id, week_end }, stop);
      await countProof(driver.employee);
      const checkpoint = await readPresent(db, facility);
      const headers = {
        'content-type': 'application/pdf',
        'content-disposition': contentDisposition(copyNameOf(input.scope)),
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
      };
      return new RawAnswer(
        200,
        headers,
        bodyOf(request, () => copyBytes(fileReader(db, store), input, checkpoint)),
      );
    }),
  };

  /** The refusal of a stop that the host does not have: not yet, or never. */
  async function refusalOf({ facility, id, week_end }: RouteKey, stop: StopEvidence | undefined): Promise<AppError> {
    const recorded = stop?.status === 'P' ? null : stop?.version;
    const { rows } = await db.query<{ in_shadow: boolean }>(isInShadow, [facility, id, week_end, recorded]);
    if (rows[0]?.in_shadow) return new AppError('RECORDED_IN_SHADOW');
    const message = 'The back office has no result of this stop yet: its proof exists once it has.';
    return new AppError('NOT_FOUND', { message });
  }

  async function countProof(employee: string): Promise<void> {
    const { count, endsInMs } = await new SharedCounters(db, clock).count(`proofs of driver ${employee}`, hourMs);
    if (count > maxOfDriver) throw new AppError('RATE_LIMITED', { retryAfterMs: endsInMs });
  }
}
