import type { Queryable } from '../../db/types.ts';
import { replicationState } from './route-sql.ts';
import { countBehind } from './rows/sql.ts';

/** What the host does not have, as the mirror says. */
export interface Backlog {
  /** Routes with something that the host does not have, and how many versions that is. */
  readonly routes: number;
  readonly versions: number;
  /** Users, sign-ins, load reports and files that the host does not have as they are. */
  readonly rows: number;
  /** Age of the oldest mutation that the host does not have. */
  readonly lagSeconds: number;
  /** What the host refuses, rows on their own included. */
  readonly parked: number;
}

/** Any node can tell, whoever replicates. */
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
