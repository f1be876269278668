import type { AuthDeps } from './deps.ts';
import { endSessions } from './end-sessions.ts';
import { changePassword as setPassword } from './proof-sql.ts';
import type { Claim, Proof } from './proof.ts';
import { prove } from './proof.ts';
import { maxTries, expiryAfter } from './rules.ts';
import { recordSignIns } from './sign-in-state.ts';
import { insertSession } from './sql.ts';
import { hashToken, newToken } from './tokens.ts';

export interface PasswordChange extends Claim {
  readonly newPassword: string;
}

export type ChangedPassword = { readonly kind: 'changed'; readonly token: string } | Exclude<Proof, { kind: 'proven' }>;

/**
 * Sets a new password and ends every session but the one that it opens. Holders of the old password or of a lost phone
 * are thus signed out. A one-time password counts as the current one (contract §2).
 */
export async function changePassword(deps: AuthDeps, change: PasswordChange): Promise<ChangedPassword> {
  const { employee, origin } = change;
  const proof = await prove(deps, change, 'change');
  if (proof.kind !== 'proven') return proof;
  const hash = await deps.passwords.hash(change.newPassword);
  return deps.inTransaction(async (tx) => {
    const now = deps.now();
    const values = [employee, now, hash, proof.hash, proof.by === 'code', maxTries];
    const { rowCount } = await tx.query(setPassword, values);
    // Another change was faster, so the proof of this one is void.
    if (!rowCount) return { kind: 'wrong_credentials' };
    await endSessions(tx, [employee], now, 'password_changed');
    const token = newToken();
    await tx.query(insertSession, [hashToken(token), employee, origin.device, now, expiryAfter(now, now)]);
    await recordSignIns(tx, [employee], now);
    await deps.wakeReplication(tx);
    return { kind: 'changed', token };
  });
}
