import type { Queryable } from '../db/types.ts';
import { readSessionState } from './sessions.ts';
import { endSessions } from './sql.ts';

/**
 * Ends every session of a driver who shows a token that counts. A token that a sign-out has ended before is answered
 * with true and changes nothing: the first answer may have been lost, and somebody may have signed in again since.
 *
 * @returns false where the token gives no right to sign out
 */
export async function signOut(db: Queryable, employee: string, token: string, now: Date): Promise<boolean> {
  const state = await readSessionState(db, employee, token, now);
  if (state?.kind === 'ended') return state.reason === 'signed_out';
  if (!state) return false;
  await db.query(endSessions, [[employee], now, 'signed_out']);
  return true;
}
