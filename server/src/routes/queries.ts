import type { AssignedRoute, RouteKey, StopPlan, StopResult } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import type { Queryable } from '../db/types.ts';
import { readPlan, readResult, untouched } from '../stops/stored-documents.ts';
import type { RouteCandidate } from './resolve.ts';
import {
  findPending,
  findRoutes,
  hasDriver,
  listActiveDrivers,
  listAssigned,
  readPendingRoute,
  readStops,
} from './sql.ts';

/** The next route of a driver (contract §4). */
export async function findPendingRoute(db: Queryable, employee: string): Promise<RouteKey | undefined> {
  const { rows } = await db.query<RouteKey & Record<string, unknown>>(findPending, [employee]);
  return rows[0];
}

/** The routes that the phones of these drivers follow, by employee, the pending route first. */
export async function listAssignedRoutes(
  db: Queryable,
  employees: readonly string[],
  now: Date,
): Promise<Map<string, AssignedRoute[]>> {
  const { rows } = await db.query<Omit<AssignedRoute, 'scope'> & { employee: string }>(listAssigned, [employees, now]);
  const routes = new Map<string, AssignedRoute[]>();
  for (const { employee, facility, id, week_end, status } of rows) {
    const own = routes.get(employee) ?? [];
    if (own.length === 0) routes.set(employee, own);
    own.push({ facility, id, week_end, scope: routeScope({ facility, id, week_end }), status });
  }
  return routes;
}

/** The next route of a driver, without its stops. */
export interface PendingRoute {
  readonly key: RouteKey;
  readonly epoch: number;
  readonly version: number;
  readonly name: string;
  readonly changedAt: Date;
  /** The return marker. */
  readonly arrived: boolean;
  readonly autocloseAt: Date | null;
  readonly forcecloseAt: Date | null;
  readonly drivers: readonly { readonly id: string; readonly name: string; readonly type: string }[];
}

interface PendingRow extends Pick<PendingRoute, 'epoch' | 'version' | 'name' | 'drivers' | 'arrived'>, RouteKey {
  readonly changed_at: Date;
  readonly autoclose_at: Date | null;
  readonly forceclose_at: Date | null;
}

export async function loadPendingRoute(db: Queryable, employee: string): Promise<PendingRoute | undefined> {
  const { rows } = await db.query<PendingRow & Record<string, unknown>>(readPendingRoute, [employee]);
  const [row] = rows;
  if (!row) return undefined;
  const { facility, id, week_end, epoch, version, name, drivers, arrived } = row;
  const key = { facility, id, week_end };
  const { changed_at: changedAt, autoclose_at: autocloseAt, forceclose_at: forcecloseAt } = row;
  return { key, epoch, version, name, drivers, arrived, changedAt, autocloseAt, forcecloseAt };
}

/** The changed stops of a route, in no order, and the route version of this reading. */
export interface ChangedStops {
  readonly epoch: number;
  readonly version: number;
  readonly stops: readonly ChangedStop[];
}
export interface ChangedStop {
  readonly id: number;
  /** None where the stop was removed. */
  readonly plan: StopPlan | undefined;
  readonly result: StopResult;
}

interface ChangedRow {
  readonly epoch: number;
  readonly version: number;
  readonly id: number | null;
  readonly plan: string | null;
  readonly result: string | null;
}

/** The stops that changed after version `above`; without it, all of them. */
export async function loadStops(db: Queryable, key: RouteKey, above = -1): Promise<ChangedStops> {
  const values = [key.facility, key.id, key.week_end, above];
  const { rows } = await db.query<ChangedRow & Record<string, unknown>>(readStops, values);
  const stops: ChangedStop[] = [];
  for (const { id, plan, result } of rows)
    if (id !== null)
      stops.push({
        id,
        plan: plan === null ? undefined : readPlan(plan),
        result: result === null ? untouched : readResult(result),
      });
  return { epoch: rows[0]?.epoch ?? 0, version: rows[0]?.version ?? 0, stops };
}

/** Routes that match a driver's words, newest week first; blank parts match all. */
export async function findCandidates(
  db: Queryable,
  named: { readonly id: string; readonly facility: string; readonly week_end: string },
  employee: string,
): Promise<RouteCandidate[]> {
  const values = [named.id, named.facility || null, named.week_end || null, employee];
  const { rows } = await db.query<RouteCandidate & Record<string, unknown>>(findRoutes, values);
  return rows;
}

/** Ids of all drivers of open routes, ascending. */
export async function listDriversOnRoutes(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ employee: string }>(listActiveDrivers);
  return rows.map((row) => row.employee);
}

/** Whether a driver has a route now; false for a route that does not exist. */
export async function isAssigned(db: Queryable, route: RouteKey, employee: string): Promise<boolean> {
  const { rows } = await db.query(hasDriver, [route.facility, route.id, route.week_end, employee]);
  return rows.length > 0;
}
