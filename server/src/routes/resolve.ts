import type { RouteKey } from '@tailgate/sync-protocol';

/** A route in the mirror that matches a driver's words. */
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
 * Decides which route a driver means by an id, and perhaps a facility and a week. The order is: the driver's present
 * open routes, former open routes, closed routes. Late changes must still find their route.
 * Several open ones are ambiguous (contract §4); of closed ones the newest counts. A route of other drivers comes last:
 * the rules refuse it by name, and the quarantine keeps the change.
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
