import type { AuthDeps } from './deps.ts';
import { countFailedAttempt } from './failed-attempts.ts';
import { findFailures } from './invitation-sql.ts';
import { isInvited, useInvitation } from './invitations.ts';
import { expiryAfter, waitMs } from './rules.ts';
import { recordSignIns } from './sign-in-state.ts';
import { findCandidate, insertAccount } from './sql.ts';
import { hashToken, newToken } from './tokens.ts';

export interface SignUpRequest {
  readonly employee: string;
  readonly password: string;
  /** The phone's name for itself; blank without one. */
  readonly device: string;
  /** The office's code, and the origin of the guess; undefined where no code is needed. */
  readonly invitation?: { readonly code: string; readonly address: string } | undefined;
}

export type SignUp =
  | { readonly kind: 'signed_up'; readonly name: string; readonly token: string }
  /** Any error of the code. The answer shows nothing about the employee. */
  | { readonly kind: 'not_invited' }
  | { readonly kind: 'slowed_down'; readonly waitMs: number }
  | { readonly kind: 'no_such_employee' }
  | { readonly kind: 'already_registered' };

interface Candidate extends Record<string, unknown> {
  readonly name: string;
  readonly active: boolean;
  readonly registered: boolean;
}

/**
 * Registers an employee of the master. It signs out no one (contract §2). The owner of the phone on file gets a
 * message, because a person who knows an employee's id can sign up in their place, once, unless the office requires a
 * code.
 */
export async function signUp(deps: AuthDeps, request: SignUpRequest): Promise<SignUp> {
  const { employee, password, device, invitation } = request;
  const refusal = invitation && (await refusalOf(deps, employee, invitation));
  if (refusal) return refusal;
  const { rows } = await deps.db.query<Candidate>(findCandidate, [employee]);
  const [candidate] = rows;
  if (!candidate?.active) return { kind: 'no_such_employee' };
  if (candidate.registered) return { kind: 'already_registered' };
  const passwordHash = await deps.passwords.hash(password);
  const register = deps.inTransaction(async (tx): Promise<SignUp> => {
    const [token, now] = [newToken(), deps.now()];
    const values = [employee, passwordHash, hashToken(token), device, now, expiryAfter(now, now)];
    const { rowCount } = await tx.query(insertAccount, values);
    if (!rowCount) return { kind: 'already_registered' };
    if (invitation && !(await useInvitation(tx, employee, invitation.code, now))) throw new UsedMeanwhile();
    await recordSignIns(tx, [employee], now);
    await deps.queueMessage(tx, { kind: 'signed_up', employee, asked_at: now.toISOString() });
    await deps.wakeReplication(tx);
    return { kind: 'signed_up', name: candidate.name, token };
  });
  return register.catch((error: unknown): SignUp => {
    if (error instanceof UsedMeanwhile) return { kind: 'not_invited' };
    throw error;
  });
}

/** Rolls the registration back: another request has used the code up. */
class UsedMeanwhile extends Error {
  override readonly name = 'UsedMeanwhile';
}

/** Guesses are slowed down like those of passwords, and counted with them. */
async function refusalOf(
  { db, now: clock }: AuthDeps,
  employee: string,
  { code, address }: { readonly code: string; readonly address: string },
): Promise<SignUp | undefined> {
  const now = clock();
  const { rows } = await db.query<{ failures: number; last_at: Date }>(findFailures, [employee, address]);
  const wait = rows[0] ? waitMs({ failures: rows[0].failures, lastAt: rows[0].last_at }, now) : 0;
  if (wait > 0) return { kind: 'slowed_down', waitMs: wait };
  if (await isInvited(db, employee, code, now)) return undefined;
  await countFailedAttempt(db, { subject: employee, address, device: '' }, now);
  return { kind: 'not_invited' };
}
