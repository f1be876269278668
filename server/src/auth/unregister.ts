import type { Tx } from '../db/types.ts';
import { recordSignIns } from './sign-in-state.ts';
import { endSessions, unregisterAccount } from './sql.ts';

/**
 * Ends an account: every session ends, no password counts, and the employee may sign up again. What becomes of the queues of
 * their phones is the operators' side (ops/devices/unregister.ts).
 *
 * @returns false where nobody of that id is registered
 */
export async function unregister(tx: Tx, employee: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(unregisterAccount, [employee, now]);
  if (!rowCount) return false;
  await tx.query(endSessions, [[employee], now, 'unregistered']);
  await recordSignIns(tx, [employee], now);
  return true;
}
