import type { AuthGround } from './ground.ts';
import { slidesTo } from './rules.ts';
import { recordSignIns } from './sign-in-state.ts';
import { findCandidate, insertAccount } from './sql.ts';
import { hashToken, newToken } from './tokens.ts';

export interface SignUpRequest {
  readonly employee: string;
  readonly password: string;
  /** What the phone calls itself; blank where it says nothing. */
  readonly device: string;
}

export type SignUp =
  | { readonly kind: 'signed_up'; readonly name: string; readonly token: string }
  | { readonly kind: 'no_such_employee' }
  | { readonly kind: 'already_registered' };

interface Candidate extends Record<string, unknown> {
  readonly name: string;
  readonly active: boolean;
  readonly registered: boolean;
}

/**
 * Registers an employee of the master. Nobody is signed out by it (contract §2). Whoever owns the phone on file is told:
 * anybody who knows an employee's id can sign up in their place, once.
 */
export async function signUp(ground: AuthGround, { employee, password, device }: SignUpRequest): Promise<SignUp> {
  const { rows } = await ground.db.query<Candidate>(findCandidate, [employee]);
  const [candidate] = rows;
  if (!candidate?.active) return { kind: 'no_such_employee' };
  if (candidate.registered) return { kind: 'already_registered' };
  const passwordHash = await ground.passwords.hash(password);
  return ground.inTransaction(async (tx) => {
    const [token, now] = [newToken(), ground.now()];
    const values = [employee, passwordHash, hashToken(token), device, now, slidesTo(now, now)];
    const { rowCount } = await tx.query(insertAccount, values);
    if (!rowCount) return { kind: 'already_registered' };
    await recordSignIns(tx, [employee], now);
    await ground.tell(tx, { kind: 'signed_up', employee, asked_at: now.toISOString() });
    await ground.wakeHost(tx);
    return { kind: 'signed_up', name: candidate.name, token };
  });
}
