import type { RouteKey } from '@tailgate/sync-protocol';
import type { Tx } from '../db/types.ts';
import { oldestSession } from './rules.ts';
import { noteSignIns, noteSignInsOfReload, noteSignInsOfRoute, takeBackSignIns } from './sign-in-state-sql.ts';

/**
 * Records for the host, route by route, which of these drivers are signed in; it removes all other marks of these
 * drivers, also on routes closed since. Callers run it in the transaction that
 * opens or ends their sessions, after that.
 */
export async function recordSignIns(tx: Tx, employees: readonly string[], now: Date): Promise<void> {
  await tx.query(takeBackSignIns, [employees]);
  await tx.query(noteSignIns, [employees, now, oldestSession(now)]);
}

/**
 * The same for the drivers of one route, who may have signed in before their assignment.
 * @param reloaded the host's rows are new, so that they must be written again
 */
export async function recordRouteSignIns(
  tx: Tx,
  { facility, id, week_end }: RouteKey,
  { now, reloaded }: { now: Date; reloaded: boolean },
): Promise<void> {
  const statement = reloaded ? noteSignInsOfReload : noteSignInsOfRoute;
  await tx.query(statement, [facility, id, week_end, now, oldestSession(now)]);
}
