import type { Tx } from '../db/types.ts';
import type { AuthDeps } from './deps.ts';
import { endSessions, endSessionsOnDevice } from './end-sessions.ts';
import { readSessionState } from './sessions.ts';
import { recordSignIns } from './sign-in-state.ts';
import { seeAccount } from './sql.ts';

/**
 * Ends every session of a driver with a valid token. For a token that a sign-out has ended it returns true and changes
 * nothing: the first answer may be lost, and the driver may have signed in since.
 *
 * @returns false where the token gives no right to sign out
 */
export async function signOut(
  deps: Pick<AuthDeps, 'db' | 'inTransaction' | 'now' | 'wakeReplication'>,
  employee: string,
  token: string,
): Promise<boolean> {
  const now = deps.now();
  const state = await readSessionState(deps.db, employee, token, now);
  if (state?.kind === 'ended') return state.reason === 'signed_out';
  if (!state) return false;
  await deps.inTransaction(async (tx) => {
    await tx.query(seeAccount, [employee, now]);
    await endSessions(tx, [employee], now, 'signed_out');
    await recordSignIns(tx, [employee], now);
    await deps.wakeReplication(tx);
  });
  return true;
}

/**
 * Ends a driver's sessions on a lost device, by the name that the device reports. If the device or a session has no
 * name, nameless sessions end as well: an additional sign-in is better than another person's open session.
 * @returns their number
 */
export async function endDeviceSessions(
  tx: Tx,
  { employee, device }: { readonly employee: string; readonly device: string },
  now: Date,
): Promise<number> {
  const count = await endSessionsOnDevice(tx, employee, device, now);
  await recordSignIns(tx, [employee], now);
  return count;
}
