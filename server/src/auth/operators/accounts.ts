import { randomInt } from 'node:crypto';
import type { OperatorRole } from '@tailgate/sync-protocol';
import type { Queryable, Tx } from '../../db/types.ts';
import type { Passwords } from '../passwords.ts';
import * as sql from './account-sql.ts';
import { endSessionsOf } from './operator-sql.ts';
import { oneTimePasswordEnd } from './rules.ts';
import type { Operator } from './sessions.ts';

/** An operator as a list shows one. */
export interface OperatorAccount extends Operator {
  readonly createdAt: Date;
  readonly createdBy: string;
  /** The one-time password has not been replaced yet. */
  readonly mustChangePassword: boolean;
  /** The time of the last request; null without a session. */
  readonly lastSeenAt: Date | null;
  readonly revokedAt: Date | null;
  readonly revokedBy: string | null;
}

export interface AccountDeps {
  readonly passwords: Pick<Passwords, 'hash'>;
  readonly now: Date;
}

/** A one-time password, for reading aloud. Only its hash is stored. */
export interface OneTimePassword {
  readonly password: string;
  readonly until: Date;
}

/** An alphabet without look-alikes. Sixteen of 32 characters are 80 bits. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const newPassword = (): string =>
  Array.from(
    { length: 16 },
    (_, i) => (i > 0 && i % 4 === 0 ? '-' : '') + alphabet.charAt(randomInt(alphabet.length)),
  ).join('');

/**
 * Adds an operator, or admits a revoked one again.
 * @returns undefined where the operator exists
 */
export async function addOperator(
  db: Queryable,
  { id, name, role, by }: Operator & { readonly by: string },
  { passwords, now }: AccountDeps,
): Promise<OneTimePassword | undefined> {
  const password = newPassword();
  const until = oneTimePasswordEnd(now);
  const values = [id, name, role, await passwords.hash(password), until, now, by];
  const { rowCount } = await db.query(sql.insertOperator, values);
  return rowCount ? { password, until } : undefined;
}

/**
 * Replaces the password by a one-time password and ends all sessions.
 * @returns with the time of the one-time password that it replaces unused; undefined where there is no such operator
 */
export async function resetOperator(
  tx: Tx,
  id: string,
  { passwords, now }: AccountDeps,
): Promise<(OneTimePassword & { readonly replaces: Date | undefined }) | undefined> {
  const password = newPassword();
  const until = oneTimePasswordEnd(now);
  const values = [id, await passwords.hash(password), until, now];
  const { rows } = await tx.query<{ unused_since: Date | null }>(sql.resetOperator, values);
  const [reset] = rows;
  if (!reset) return undefined;
  await tx.query(endSessionsOf, [id, now]);
  return { password, until, replaces: reset.unused_since ?? undefined };
}

/** Author and time of the revocation of an operator; undefined where the operator is not revoked. */
export async function readRevocation(
  db: Queryable,
  id: string,
): Promise<{ readonly by: string; readonly at: Date } | undefined> {
  const { rows } = await db.query<{ by: string; at: Date }>(sql.readRevocation, [id]);
  return rows[0];
}

/**
 * Ends an operator: every session ends at once, and no password is valid. The name stays with the acts.
 * @returns whether there was such an operator
 */
export async function revokeOperator(tx: Tx, id: string, by: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(sql.revokeOperator, [id, by, now]);
  if (!rowCount) return false;
  await tx.query(endSessionsOf, [id, now]);
  return true;
}

const demoOperator: Operator = { id: 'DEMO', name: 'Demo operator', role: 'admin' };

/**
 * Adds the operator of a demo where there is no operator yet.
 * @returns the id, where this password signs in
 */
export async function ensureDemoOperator(
  db: Queryable,
  password: string,
  { passwords, now }: { readonly passwords: Pick<Passwords, 'hash' | 'matches'>; readonly now: Date },
): Promise<string | undefined> {
  const { id, name, role } = demoOperator;
  await db.query(sql.insertFirstOperator, [id, name, role, await passwords.hash(password), now, 'npm start']);
  const { rows } = await db.query<{ password_hash: string | null }>(sql.readPasswordHash, [id]);
  return (await passwords.matches(rows[0]?.password_hash ?? undefined, password)) ? id : undefined;
}

type AccountRow = Operator & {
  readonly created_at: Date;
  readonly created_by: string;
  readonly must_change_password: boolean;
  readonly last_seen_at: Date | null;
  readonly revoked_at: Date | null;
  readonly revoked_by: string | null;
};

/** All operators by id, revoked ones included. */
export async function listOperators(db: Queryable): Promise<OperatorAccount[]> {
  const { rows } = await db.query<AccountRow>(sql.listOperators);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    role: row.role,
    createdAt: row.created_at,
    createdBy: row.created_by,
    mustChangePassword: row.must_change_password,
    lastSeenAt: row.last_seen_at,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
  }));
}

/** Whether a text can be an operator's id. The host takes ten characters as an author. */
export const isOperatorId = (text: string): boolean => /^[A-Z0-9]{1,10}$/.test(text);
export const operatorRoles: readonly OperatorRole[] = ['look', 'repair', 'admin'];
