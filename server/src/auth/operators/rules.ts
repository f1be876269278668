import type { OperatorRole } from '@tailgate/sync-protocol';

const minute = 60_000;
const hour = 60 * minute;

/** The life of operators' sessions (OPERATOR_IDLE_MINUTES, OPERATOR_SESSION_HOURS). */
export interface OperatorLimits {
  readonly idleMinutes: number;
  readonly sessionHours: number;
}

/** From the least to the most. */
const roles: readonly OperatorRole[] = ['look', 'repair', 'admin'];

/** Whether an operator may call an operation. `self`: any operator may. */
export const includesRole = (role: OperatorRole, needed: OperatorRole | 'self'): boolean =>
  needed === 'self' || roles.indexOf(role) >= roles.indexOf(needed);

/** A use is recorded at most this often: one write for each session and half minute. */
const recordUseEveryMs = minute / 2;

export interface OperatorSessionFacts {
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

/** Whether a session is valid: neither idle for too long nor past its longest life. */
export const isValid = (
  { lastSeenAt, expiresAt }: OperatorSessionFacts,
  { idleMinutes }: OperatorLimits,
  now: Date,
): boolean => now < expiresAt && now.getTime() - lastSeenAt.getTime() < idleMinutes * minute;

export const isUseDue = ({ lastSeenAt }: OperatorSessionFacts, now: Date): boolean =>
  now.getTime() - lastSeenAt.getTime() >= recordUseEveryMs;

/** The end of a session that begins now, however busy it is. */
export const sessionEnd = ({ sessionHours }: OperatorLimits, now: Date): Date =>
  new Date(now.getTime() + sessionHours * hour);

/** A one-time password signs in for this long after it was made. */
const oneTimePasswordMs = 72 * hour;
export const oneTimePasswordEnd = (now: Date): Date => new Date(now.getTime() + oneTimePasswordMs);

/** The shortest own password. One account of the office reaches every route, so it is longer than a driver's. */
const minCharacters = 12;
/** Fewer characters that differ make a pattern such as `aaaaaaaaaaaa`. */
const minDifferent = 5;

/** The fault of a new password; undefined where it has none. */
export function passwordFault(
  password: string,
  { id, name, current }: { readonly id: string; readonly name: string; readonly current: string },
): string | undefined {
  const plain = password.normalize('NFKC');
  if (plain === current.normalize('NFKC')) return 'must differ from the current password';
  if (Array.from(plain).length < minCharacters) return `must have at least ${minCharacters} characters`;
  if (new Set(plain).size < minDifferent) return `must have at least ${minDifferent} different characters`;
  const lower = plain.toLowerCase();
  const own = [id, ...name.split(/\s+/)].map((word) => word.toLowerCase()).filter((word) => word.length > 3);
  return own.some((word) => lower.includes(word)) ? 'must not contain the name or id of the operator' : undefined;
}
