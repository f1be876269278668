import type { Queryable } from '../../db/types.ts';
import { replicationState } from './route-sql.ts';
import { countBehind } from './rows/sql.ts';

/** Changes in the mirror that the host does not have. */
export interface Backlog {
  /** Routes with changes that the host does not have, and the number of their versions. */
  readonly routes: number;
  readonly versions: number;
  /** Users, sign-ins, load reports and files with changes that the host does not have. */
  readonly rows: number;
  /** Age of the oldest mutation that the host does not have. */
  readonly lagSeconds: number;
  /** Parked stops and rows. */
  readonly parked: number;
}

/** Any node can read it, with or without a worker. */
export async function readBacklog(db: Queryable): Promise<Backlog> {
  const [routes, rows] = await Promise.all([
    db.query<RouteRow>(replicationState),
    db.query<{ rows: number; parked: number }>(countBehind),
  ]);
  const { routes: behind = 0, versions = 0, lag_s: lagSeconds = 0, parked = 0 } = routes.rows[0] ?? {};
  const own = rows.rows[0] ?? { rows: 0, parked: 0 };
  return { routes: behind, versions, rows: own.rows, lagSeconds, parked: parked + own.parked };
}

interface RouteRow {
  routes: number;
  versions: number;
  lag_s: number;
  parked: number;
}
