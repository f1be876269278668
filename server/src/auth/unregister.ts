import type { Tx } from '../db/types.ts';
import { endSessions } from './end-sessions.ts';
import { recordSignIns } from './sign-in-state.ts';
import { unregisterAccount } from './sql.ts';

/**
 * Ends an account: every session ends, no password is valid, and the employee may sign up again. The operators' side
 * handles the queues of the employee's phones (ops/devices/devices.ts).
 *
 * @returns false where no such employee is registered
 */
export async function unregister(tx: Tx, employee: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(unregisterAccount, [employee, now]);
  if (!rowCount) return false;
  await endSessions(tx, [employee], now, 'unregistered');
  await recordSignIns(tx, [employee], now);
  return true;
}
