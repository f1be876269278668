import type { RouteKey } from '@tailgate/sync-protocol';
import type { Queryable } from '../db/types.ts';
import { readPlan, readResult, untouched } from '../stops/stored-documents.ts';
import type { SummarizedStop } from './delivery-summary.ts';
import { readReasons, readStop } from './sql.ts';

interface StopRow {
  route_name: string;
  published: boolean;
  facility: string;
  zone: string;
  plan: string | null;
  result: string | null;
  drivers: Record<string, string>;
}

export interface StopReading {
  /** Whether drivers may see the route. */
  readonly published: boolean;
  /** Undefined where the route has no such stop. */
  readonly stop: SummarizedStop | undefined;
}

/** A stop in its present state; undefined where there is no such route. */
export async function readSummarizedStop(db: Queryable, key: RouteKey, stop: number): Promise<StopReading | undefined> {
  const { rows } = await db.query<StopRow & Record<string, unknown>>(readStop, [
    key.facility,
    key.id,
    key.week_end,
    stop,
  ]);
  const [row] = rows;
  if (!row) return undefined;
  const { published, plan, result, route_name: name, facility, zone, drivers } = row;
  if (plan === null) return { published, stop: undefined };
  return {
    published,
    stop: {
      route: { ...key, name },
      facility,
      plan: readPlan(plan),
      result: result === null ? untouched : readResult(result),
      zone,
      drivers,
      reason: await readReasonTexts(db),
    },
  };
}

async function readReasonTexts(db: Queryable): Promise<SummarizedStop['reason']> {
  const { rows } = await db.query<{ type: string; code: string; description: string }>(readReasons);
  const known = new Map(rows.map(({ type, code, description }) => [`${type} ${code}`, description]));
  return (type, code) => known.get(`${type} ${code}`) ?? '';
}
