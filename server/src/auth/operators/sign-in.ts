import type { OperatorRole } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import type { AuthDeps } from '../deps.ts';
import { countFailedAttempt } from '../failed-attempts.ts';
import { deleteFailures } from '../proof-sql.ts';
import type { AddressFailures } from '../proof.ts';
import { waitMs } from '../rules.ts';
import { hashToken, newToken } from '../tokens.ts';
import * as sql from './operator-sql.ts';
import { passwordFault, sessionEnd, type OperatorLimits } from './rules.ts';
import type { Operator } from './sessions.ts';

export interface OperatorAuthDeps extends Pick<AuthDeps, 'db' | 'inTransaction' | 'passwords' | 'now'> {
  readonly limits: OperatorLimits;
}

export interface OperatorClaim {
  readonly id: string;
  readonly password: string;
  readonly address: string;
  readonly addressFailures: AddressFailures;
}

export interface OpenedSession {
  readonly kind: 'opened';
  readonly operator: Operator;
  readonly token: string;
  readonly expiresAt: Date;
  readonly mustChangePassword: boolean;
}

type Refused = { readonly kind: 'wrong_credentials' } | { readonly kind: 'slowed_down'; readonly waitMs: number };
export type OperatorSignIn = OpenedSession | Refused;

/** Opens a session beside the operator's other ones. */
export async function signInOperator(deps: OperatorAuthDeps, claim: OperatorClaim): Promise<OperatorSignIn> {
  const proof = await prove(deps, claim);
  if (proof.kind !== 'proven') return proof;
  const { operator, hash, mustChangePassword } = proof;
  return (await open(deps.db, deps, { operator, hash, mustChangePassword })) ?? { kind: 'wrong_credentials' };
}

/**
 * Sets a new password, ends every session of the operator, and opens a new one. A one-time password counts as the
 * current one.
 */
export async function changeOperatorPassword(
  deps: OperatorAuthDeps,
  claim: OperatorClaim,
  newPassword: string,
): Promise<OperatorSignIn | { readonly kind: 'unfit'; readonly fault: string }> {
  const proof = await prove(deps, claim);
  if (proof.kind !== 'proven') return proof;
  const { operator, hash } = proof;
  const fault = passwordFault(newPassword, { ...operator, current: claim.password });
  if (fault !== undefined) return { kind: 'unfit', fault };
  const newHash = await deps.passwords.hash(newPassword);
  return deps.inTransaction(async (tx) => {
    const now = deps.now();
    const { rowCount } = await tx.query(sql.changePassword, [operator.id, now, newHash, hash]);
    // Another change was faster, so the proof of this one is void.
    if (!rowCount) return { kind: 'wrong_credentials' };
    await tx.query(sql.endSessionsOf, [operator.id, now]);
    const opened = await open(tx, deps, { operator, hash: newHash, mustChangePassword: false });
    if (!opened) throw new Error('a password that was just set opens a session');
    return opened;
  });
}

interface Proven {
  readonly kind: 'proven';
  readonly operator: Operator;
  /** The stored hash of the proof. It must be unchanged when the proof is used. */
  readonly hash: string;
  readonly mustChangePassword: boolean;
}

interface OperatorRow extends Record<string, unknown> {
  readonly id: string | null;
  readonly name: string;
  readonly role: OperatorRole;
  readonly password_hash: string | null;
  readonly must_change_password: boolean;
  readonly password_expires_at: Date | null;
  readonly failures: number | null;
  readonly failed_at: Date;
}

/**
 * Checks a password, slowed down like those of drivers (decision 11). An unknown id, a revoked operator, an expired
 * one-time password and a wrong password run the same statements and one hash, and get the same answer.
 */
async function prove(deps: OperatorAuthDeps, claim: OperatorClaim): Promise<Proven | Refused> {
  const { id, password, address, addressFailures } = claim;
  const subject = failuresOf(id);
  const now = deps.now();
  const [{ rows }, addressWaits] = await Promise.all([
    deps.db.query<OperatorRow>(sql.findOperator, [id, subject, address]),
    addressFailures.waitMs(),
  ]);
  const [row] = rows;
  if (!row) throw new Error('the statement findOperator always answers one row');
  const failures = row.failures ?? 0;
  const ownWait = failures === 0 ? 0 : waitMs({ failures, lastAt: row.failed_at }, now);
  const wait = Math.max(ownWait, addressWaits);
  if (wait > 0) return { kind: 'slowed_down', waitMs: wait };

  const hash = row.password_hash ?? undefined;
  const fits = await deps.passwords.matches(hash, password);
  const isCurrent = row.password_expires_at === null || now < row.password_expires_at;
  if (!fits || !isCurrent || row.id === null || hash === undefined) {
    await Promise.all([
      countFailedAttempt(deps.db, { subject, address, device: '' }, now),
      addressFailures.countFailure(),
    ]);
    return { kind: 'wrong_credentials' };
  }
  if (failures > 0) await deps.db.query(deleteFailures, [subject, address, '']);
  const operator = { id: row.id, name: row.name, role: row.role };
  return { kind: 'proven', operator, hash, mustChangePassword: row.must_change_password };
}

/** Longer than any employee id, so that failures of drivers and operators never share a row. */
const failuresOf = (id: string): string => `the operator ${id}`;

async function open(
  db: Queryable,
  { now: clock, limits }: OperatorAuthDeps,
  { operator, hash, mustChangePassword }: Omit<Proven, 'kind'>,
): Promise<OpenedSession | undefined> {
  const now = clock();
  const token = newToken();
  const expiresAt = sessionEnd(limits, now);
  const { rowCount } = await db.query(sql.openSession, [hashToken(token), operator.id, now, expiresAt, hash]);
  return rowCount ? { kind: 'opened', operator, token, expiresAt, mustChangePassword } : undefined;
}
