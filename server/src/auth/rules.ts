const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;

/** A token lives this long after it was last seen (contract §2). */
const slidingMs = 30 * day;
/** No token lives longer, whatever its driver is doing. */
const longestMs = 90 * day;
/** How stale `last_seen_at` may get: a write a session and hour, not a write a request. */
const touchEveryMs = hour;

/**
 * Why a session has ended. `evicted`: another driver of the route signed in with `confirm_login`; `unregistered`: by an
 * operator.
 */
export type EndReason = 'signed_out' | 'evicted' | 'password_changed' | 'unregistered' | 'device_revoked' | 'expired';
/** What a session that somebody ended keeps; an expiry is computed, never stored. */
export type RevokedReason = Exclude<EndReason, 'expired'>;

export interface SessionFacts {
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly revokedReason: RevokedReason | null;
  /** A driver in the middle of a route is never thrown out by a date. */
  readonly onOpenRoute: boolean;
}

export type SessionState =
  | { readonly kind: 'live'; readonly until: Date }
  | { readonly kind: 'ended'; readonly at: Date; readonly reason: EndReason };

/** Whether a session still counts at `now`, until when if nothing changes, or since when and why it does not. */
export function sessionState(session: SessionFacts, now: Date): SessionState {
  if (session.revokedAt) return { kind: 'ended', at: session.revokedAt, reason: session.revokedReason ?? 'signed_out' };
  const until = session.onOpenRoute
    ? lastDay(session.createdAt)
    : earlier(session.expiresAt, lastDay(session.createdAt));
  return now < until ? { kind: 'live', until } : { kind: 'ended', at: until, reason: 'expired' };
}

/** The date to which a token that is seen now slides. */
export const slidesTo = (createdAt: Date, now: Date): Date =>
  earlier(new Date(now.getTime() + slidingMs), lastDay(createdAt));

export const isWorthTouching = (session: SessionFacts, now: Date): boolean =>
  now.getTime() - session.lastSeenAt.getTime() >= touchEveryMs;

const lastDay = (createdAt: Date): Date => new Date(createdAt.getTime() + longestMs);
/** Sessions that were opened before this are over, whatever their driver is doing. */
export const oldestSession = (now: Date): Date => new Date(now.getTime() - longestMs);
const earlier = (a: Date, b: Date): Date => (a < b ? a : b);

/** A one-time password signs in this long after it was sent, and is the current password this long after it was used. */
export const codeLifeMs = 15 * minute;
export const mostTries = 5;

/** A one-time password as it is stored. `tries` counts failed sign-ins, whatever was tried: a guess looks like a slip. */
export interface StoredCode {
  readonly hash: string;
  readonly mark: number;
  readonly tries: number;
  readonly expiresAt: Date;
  readonly usedAt: Date | null;
}

/**
 * Whether a one-time password counts. It signs in once. The driver whom it has signed in has no other password to name
 * as the current one when a new one is chosen, so for that alone it goes on counting for a while.
 */
export function codeCounts(code: StoredCode, use: 'sign_in' | 'change', now: Date): boolean {
  if (code.tries >= mostTries) return false;
  if (code.usedAt === null) return now < code.expiresAt;
  return use === 'change' && now.getTime() - code.usedAt.getTime() < codeLifeMs;
}

const resetLimits = [
  { within: minute, most: 1 },
  { within: hour, most: 3 },
  { within: day, most: 10 },
] as const;

/** Whether a driver who was sent one-time passwords at these times may be sent one more (contract §2). */
export const mayReset = (sent: readonly Date[], now: Date): boolean =>
  resetLimits.every(({ within, most }) => sent.filter((at) => now.getTime() - at.getTime() < within).length < most);

/** Failed sign-ins of one account from one address since the last that was right. */
export interface FailuresInARow {
  readonly failures: number;
  readonly lastAt: Date;
}

/** Fingers slip: so many cost nothing. */
const freeFailures = 5;
const firstWaitMs = 2_000;
const longestWaitMs = 15 * minute;
/** Failures of yesterday are not in a row with those of today. */
export const failuresLastMs = day;

/** How long a sign-in has yet to wait: twice as long with each failure, so that guessing a day long is a hundred tries. */
export function waitMs({ failures, lastAt }: FailuresInARow, now: Date): number {
  const since = now.getTime() - lastAt.getTime();
  if (failures < freeFailures || since >= failuresLastMs) return 0;
  const wait = Math.min(firstWaitMs * 2 ** (failures - freeFailures), longestWaitMs);
  return Math.max(0, wait - since);
}
