import { randomInt } from 'node:crypto';
import type { Queryable, Tx } from '../../db/types.ts';
import type { Passwords } from '../passwords.ts';
import * as sql from './account-sql.ts';
import { oneTimePasswordEnd } from './rules.ts';
import type { Operator } from './sessions.ts';

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
 * @returns undefined where there is no such operator
 */
export async function resetOperator(
  tx: Tx,
  id: string,
  { passwords, now }: AccountDeps,
): Promise<OneTimePassword | undefined> {
  const password = newPassword();
  const until = oneTimePasswordEnd(now);
  const { rowCount } = await tx.query(sql.resetOperator, [id, await passwords.hash(password), until, now]);
  if (!rowCount) return undefined;
  await tx.query(sql.endSessionsOf, [id, now]);
  return { password, until };
}

/**
 * Ends an operator: every session ends at once, and no password is valid. The name stays with the acts.
 * @returns whether there was such an operator
 */
export async function revokeOperator(tx: Tx, id: string, by: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(sql.revokeOperator, [id, by, now]);
  if (!rowCount) return false;
  await tx.query(sql.endSessionsOf, [id, now]);
  return true;
}
