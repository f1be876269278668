import type { RouteKey } from '@tailgate/sync-protocol';
import type { Tx } from '../db/types.ts';
import { oldestSession } from './rules.ts';
import { noteSignIns, noteSignInsOfRoute } from './sign-in-state-sql.ts';

/**
 * Writes down, route by route, which of these drivers are signed in, for the host. To be called in the transaction that
 * opens or ends their sessions, after it has.
 */
export async function recordSignIns(tx: Tx, employees: readonly string[], now: Date): Promise<void> {
  await tx.query(noteSignIns, [employees, now, oldestSession(now)]);
}

/**
 * The same for the drivers of one route, who may have been signed in before they were put on it.
 * @param reloaded the host's rows were made anew, so that they have to be told again
 */
export async function recordRouteSignIns(
  tx: Tx,
  { facility, id, week_end }: RouteKey,
  { now, reloaded }: { now: Date; reloaded: boolean },
): Promise<void> {
  await tx.query(noteSignInsOfRoute, [facility, id, week_end, now, oldestSession(now), reloaded]);
}
