import type { AuthDeps } from './deps.ts';
import { readSessionState } from './sessions.ts';
import { recordSignIns } from './sign-in-state.ts';
import { endSessions, seeAccount } from './sql.ts';

/**
 * Ends every session of a driver with a valid token. For a token that a sign-out has ended it returns true and changes
 * nothing: the first answer may be lost, and the driver may have signed in since.
 *
 * @returns false where the token gives no right to sign out
 */
export async function signOut(
  deps: Pick<AuthDeps, 'db' | 'inTransaction' | 'now' | 'wakeHost'>,
  employee: string,
  token: string,
): Promise<boolean> {
  const now = deps.now();
  const state = await readSessionState(deps.db, employee, token, now);
  if (state?.kind === 'ended') return state.reason === 'signed_out';
  if (!state) return false;
  await deps.inTransaction(async (tx) => {
    await tx.query(seeAccount, [employee, now]);
    await tx.query(endSessions, [[employee], now, 'signed_out']);
    await recordSignIns(tx, [employee], now);
    await deps.wakeHost(tx);
  });
  return true;
}
