const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

/** The life of a token after its last use (contract §2). */
const slidingMs = 30 * day;
/** The longest life of a token. */
const longestMs = 90 * day;
/** The most that `last_seen_at` may lag: one write for each session and hour, not for each request. */
const recordUseEveryMs = hour;

/**
 * Why a session ended. `evicted`: another driver of the route signed in with `confirm_login`; `unregistered`: by an
 * operator.
 */
export type EndReason = 'signed_out' | 'evicted' | 'password_changed' | 'unregistered' | 'device_revoked' | 'expired';
/** The stored reason of an ended session. An expiry is computed, never stored. */
export type RevokedReason = Exclude<EndReason, 'expired'>;

export interface SessionFacts {
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly revokedReason: RevokedReason | null;
  /** An expiry never signs out a driver on an open route. */
  readonly onOpenRoute: boolean;
}

export type SessionState =
  | { readonly kind: 'live'; readonly until: Date }
  | { readonly kind: 'ended'; readonly at: Date; readonly reason: EndReason };

/** The state of a session at `now`: valid until when, or ended since when and why. */
export function sessionState(session: SessionFacts, now: Date): SessionState {
  if (session.revokedAt) return { kind: 'ended', at: session.revokedAt, reason: session.revokedReason ?? 'signed_out' };
  const until = session.onOpenRoute
    ? lastDay(session.createdAt)
    : earlierOf(session.expiresAt, lastDay(session.createdAt));
  return now < until ? { kind: 'live', until } : { kind: 'ended', at: until, reason: 'expired' };
}

/** The new expiry of a token used now. */
export const expiryAfter = (createdAt: Date, now: Date): Date =>
  earlierOf(new Date(now.getTime() + slidingMs), lastDay(createdAt));

export const isDueForUse = (session: SessionFacts, now: Date): boolean =>
  now.getTime() - session.lastSeenAt.getTime() >= recordUseEveryMs;

const lastDay = (createdAt: Date): Date => new Date(createdAt.getTime() + longestMs);
/** Sessions opened before this time have ended in any case. */
export const oldestSession = (now: Date): Date => new Date(now.getTime() - longestMs);
const earlierOf = (a: Date, b: Date): Date => (a < b ? a : b);

/**
 * A one-time password signs in for this long after it was sent. It counts as the current password for this long after
 * its use.
 */
export const codeLifeMs = 15 * minute;
export const maxTries = 5;

/** A stored one-time password. `tries` counts all failed sign-ins: a guess and a typing error look alike. */
export interface StoredCode {
  readonly hash: string;
  readonly mark: number;
  readonly tries: number;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
}

/**
 * Whether a one-time password is valid. It signs in once. Its driver has no other password to give as the current one,
 * so for a new password it stays valid for a while.
 */
export function isCodeUsable(code: StoredCode, use: 'sign_in' | 'change', now: Date): boolean {
  if (code.tries >= maxTries) return false;
  if (code.usedAt === null) return now < code.expiresAt;
  return use === 'change' && now.getTime() - code.usedAt.getTime() < codeLifeMs;
}

const resetLimits = [
  { within: minute, max: 1 },
  { within: hour, max: 3 },
  { within: day, max: 10 },
] as const;

/** Whether the service may send one more one-time password after those at these times (contract §2). */
export const mayReset = (sent: readonly Date[], now: Date): boolean =>
  resetLimits.every(({ within, max }) => sent.filter((at) => now.getTime() - at.getTime() < within).length < max);

/** Failed sign-ins of one account from one address since the last success. */
export interface FailuresInARow {
  readonly failures: number;
  readonly lastAt: Date;
}

/** Typing errors: so many failures have no effect. */
const freeFailures = 5;
const firstWaitMs = 2_000;
const longestWaitMs = 15 * minute;
/** Older failures do not count. */
export const failuresLastMs = day;

/**
 * How long a sign-in must still wait. The wait doubles with each failure, so that a day allows about a hundred guesses.
 */
export function waitMs({ failures, lastAt }: FailuresInARow, now: Date): number {
  const since = now.getTime() - lastAt.getTime();
  if (failures < freeFailures || since >= failuresLastMs) return 0;
  const wait = Math.min(firstWaitMs * 2 ** (failures - freeFailures), longestWaitMs);
  return Math.max(0, wait - since);
}
