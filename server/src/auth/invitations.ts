import { createHash, randomInt, randomUUID } from 'node:crypto';
import type { Queryable, Tx } from '../db/types.ts';
import * as sql from './invitation-sql.ts';

/**
 * An alphabet without look-alikes. Sixteen of 32 characters are 80 bits: a guess is hopeless, and no slow hash is
 * needed.
 */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeLength = 16;
const dayMs = 24 * 3_600_000;

const newCode = (): string =>
  Array.from({ length: codeLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('');

/** In groups of four, for reading aloud. */
const grouped = (code: string): string => code.replace(/(.{4})(?=.)/g, '$1-');

const hashOf = (code: string): Buffer =>
  createHash('sha256').update(code.toUpperCase().replaceAll(/[\s-]/g, '')).digest();

/** Whom an invitation is for: one employee, or the drivers of a facility. */
interface InvitationRequest {
  readonly by: string;
  readonly employee?: string | null | undefined;
  readonly facility?: string | null | undefined;
  readonly uses: number;
  readonly days: number;
}

interface InvitationItem {
  readonly invitation_id: string;
  readonly employee: string | null;
  readonly facility: string | null;
  readonly uses: number;
  readonly uses_left: number;
  readonly created_at: string;
  readonly created_by: string;
  readonly expires_at: string;
}

interface InvitationRow extends Omit<InvitationItem, 'created_at' | 'expires_at'>, Record<string, unknown> {
  readonly created_at: Date;
  readonly expires_at: Date;
}

/**
 * Creates an invitation and returns its code, which is not stored.
 * @returns undefined without such an active employee, or without an active employee in the facility
 */
export async function invite(
  db: Queryable,
  { by, employee, facility, uses, days }: InvitationRequest,
  now: Date,
): Promise<(InvitationItem & { readonly code: string }) | undefined> {
  const code = newCode();
  const until = new Date(now.getTime() + days * dayMs);
  const values = [randomUUID(), hashOf(code), employee ?? null, facility ?? null, uses, now, by, until];
  const { rows } = await db.query<InvitationRow>(sql.insertInvitation, values);
  return rows[0] && { ...itemOf(rows[0]), code: grouped(code) };
}

/** The usable invitations, newest first. */
export async function listInvitations(db: Queryable, now: Date): Promise<InvitationItem[]> {
  const { rows } = await db.query<InvitationRow>(sql.listInvitations, [now]);
  return rows.map(itemOf);
}

/** @returns undefined without a usable invitation of this id */
export async function withdrawInvitation(
  db: Queryable,
  id: string,
  by: string,
  now: Date,
): Promise<InvitationItem | undefined> {
  const { rows } = await db.query<InvitationRow>(sql.withdrawInvitation, [id, by, now]);
  return rows[0] && itemOf(rows[0]);
}

/** Whether a code counts for this employee. */
export async function isInvited(db: Queryable, employee: string, code: string, now: Date): Promise<boolean> {
  const { rows } = await db.query(sql.findInvitation, [hashOf(code), employee, now]);
  return rows.length > 0;
}

/** Uses a code up. @returns false where another request was faster */
export async function useInvitation(tx: Tx, employee: string, code: string, now: Date): Promise<boolean> {
  const { rowCount } = await tx.query(sql.useInvitation, [hashOf(code), employee, now]);
  return rowCount === 1;
}

const itemOf = (row: InvitationRow): InvitationItem => ({
  invitation_id: row.invitation_id,
  employee: row.employee,
  facility: row.facility,
  uses: row.uses,
  uses_left: row.uses_left,
  created_at: row.created_at.toISOString(),
  created_by: row.created_by,
  expires_at: row.expires_at.toISOString(),
});
