import type { RouteKey } from '@tailgate/sync-protocol';

/** A route that fits what a driver named, as the mirror knows it. */
export interface RouteCandidate extends RouteKey {
  /** Published, not closed, not withdrawn. */
  readonly open: boolean;
  /** The driver is or was on it. */
  readonly assigned: boolean;
  /** The driver is on it now. */
  readonly current: boolean;
}

export type Resolution =
  | { readonly kind: 'found'; readonly key: RouteKey }
  | { readonly kind: 'ambiguous'; readonly keys: readonly RouteKey[] }
  | { readonly kind: 'unknown' };

/**
 * Which route a driver means who named its id and perhaps facility and week. Open routes that are the driver's now come
 * first, then open ones that were, then closed ones that are or were: what drains late must still find its route.
 * Several open ones are ambiguous (contract §4); of closed ones the newest is meant. Somebody else's route comes
 * last: the rules refuse it by name, and what was sent is kept.
 *
 * @param candidates newest week first
 */
export function resolveRoute(candidates: readonly RouteCandidate[]): Resolution {
  const own = candidates.filter((route) => route.assigned);
  const open = own.filter((route) => route.open);
  const current = open.filter((route) => route.current);
  const meant = current.length > 0 ? current : open;
  if (meant.length > 1) return { kind: 'ambiguous', keys: meant.map(keyOf) };
  const found = meant[0] ?? own[0] ?? candidates[0];
  return found ? { kind: 'found', key: keyOf(found) } : { kind: 'unknown' };
}

const keyOf = ({ facility, id, week_end }: RouteCandidate): RouteKey => ({ facility, id, week_end });
