const day = 24 * 60 * 60 * 1000;

/** A token lives this long after it was last seen (contract §2). */
const slidingMs = 30 * day;
/** No token lives longer, whatever its driver is doing. */
const longestMs = 90 * day;
/** How stale `last_seen_at` may get: a write a session and hour, not a write a request. */
const touchEveryMs = 60 * 60 * 1000;

/** Why a session has ended. `evicted`: another driver of the route signed in with `confirm_login`. */
export type EndReason = 'signed_out' | 'evicted' | 'expired';
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
const earlier = (a: Date, b: Date): Date => (a < b ? a : b);
