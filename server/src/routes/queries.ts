import type { AssignedRoute, RouteKey, StopPlan, StopResult } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import type { Queryable } from '../db/types.ts';
import type { RouteCandidate } from './resolve.ts';
import { findPending, findRoutes, listActiveDrivers, listAssigned, readPendingRoute } from './sql.ts';

/** The route that a driver has to drive next (contract §4). */
export async function findPendingRoute(db: Queryable, employee: string): Promise<RouteKey | undefined> {
  const { rows } = await db.query<RouteKey & Record<string, unknown>>(findPending, [employee]);
  return rows[0];
}

/** What the phones of these drivers follow, by employee, the pending route first. */
export async function listAssignedRoutes(
  db: Queryable,
  employees: readonly string[],
): Promise<Map<string, AssignedRoute[]>> {
  const { rows } = await db.query<Omit<AssignedRoute, 'scope'> & { employee: string }>(listAssigned, [employees]);
  const routes = new Map<string, AssignedRoute[]>();
  for (const { employee, facility, id, week_end, status } of rows) {
    const own = routes.get(employee) ?? [];
    if (own.length === 0) routes.set(employee, own);
    own.push({ facility, id, week_end, scope: routeScope({ facility, id, week_end }), status });
  }
  return routes;
}

/** A driver's route with its stops in driving order, all of one moment. */
export interface PendingRoute {
  readonly key: RouteKey;
  readonly name: string;
  readonly changedAt: Date;
  readonly drivers: readonly { readonly id: string; readonly name: string; readonly type: string }[];
  readonly stops: readonly { readonly plan: StopPlan; readonly result: StopResult }[];
}

interface PendingRow {
  readonly facility: string;
  readonly id: string;
  readonly week_end: string;
  readonly name: string;
  readonly changed_at: Date;
  readonly drivers: PendingRoute['drivers'];
  readonly plan: string | null;
  readonly result: string | null;
}

export async function loadPendingRoute(db: Queryable, employee: string): Promise<PendingRoute | undefined> {
  const { rows } = await db.query<PendingRow & Record<string, unknown>>(readPendingRoute, [employee]);
  const [first] = rows;
  if (!first) return undefined;
  const stops: PendingRoute['stops'][number][] = [];
  for (const { plan, result } of rows)
    if (plan !== null) stops.push({ plan: readPlan(plan), result: result === null ? untouched : readResult(result) });
  stops.sort((a, b) => a.plan.sequence - b.plan.sequence || a.plan.id - b.plan.id);
  const { facility, id, week_end, name, changed_at: changedAt, drivers } = first;
  return { key: { facility, id, week_end }, name, changedAt, drivers, stops };
}

// The documents are our own and were parsed before they were written: boundaries parse, interiors trust.
const readPlan: (doc: string) => StopPlan = JSON.parse;
const readResult: (doc: string) => StopResult = JSON.parse;
const untouched: StopResult = { status: 'P' };

/** Routes that fit what a driver named, newest week first; blank parts are not asked for. */
export async function findCandidates(
  db: Queryable,
  named: { readonly id: string; readonly facility: string; readonly week_end: string },
  employee: string,
): Promise<RouteCandidate[]> {
  const values = [named.id, named.facility || null, named.week_end || null, employee];
  const { rows } = await db.query<RouteCandidate & Record<string, unknown>>(findRoutes, values);
  return rows;
}

/** Ids of everybody who is on a route that is not closed, ascending. */
export async function listDriversOnRoutes(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ employee: string }>(listActiveDrivers);
  return rows.map((row) => row.employee);
}
