import type { Cause, CauseItem } from '../attention.ts';
import type { RouteKey, StopKey } from '../links.ts';

/** The act that a row of the inbox offers. */
export type Offer =
  | { readonly is: 'repair' | 'kept' | 'incident' | 'phone'; readonly id: string }
  | { readonly is: 'stop'; readonly item: CauseItem & StopKey }
  | { readonly is: 'route'; readonly item: CauseItem & RouteKey }
  | { readonly is: 'hold'; readonly id: string }
  | { readonly is: 'retry' | 'entries' }
  | { readonly is: 'flags' | 'incidents'; readonly code: string }
  | { readonly is: 'host' | 'parked' | 'phones' };

/** The facility of a cause, for its times: the one that all of its entries share. */
export function facilityOf({ items }: Cause): string | undefined {
  const [first, ...others] = new Set(items.map(({ facility }) => facility));
  return others.length === 0 ? (first ?? undefined) : undefined;
}

/** Whether an entry names a route. */
export const isAtRoute = (item: CauseItem): item is CauseItem & RouteKey =>
  item.facility !== null && item.route_id !== null && item.week_end !== null;

/** Whether an entry names a stop. */
export const isAtStop = (item: CauseItem): item is CauseItem & StopKey => isAtRoute(item) && item.stop_id !== null;

/** The suggested act as this operator can do it; a page to read where the role does not include it. */
export function offerOf(cause: Cause, may: { readonly repair: boolean; readonly admin: boolean }): Offer {
  const { kind, count, code, suggested, items } = cause;
  const [first] = items;
  const one = count === 1 ? first : undefined;
  if (suggested.act === 'retry_all') return may.repair ? { is: 'retry' } : { is: 'entries' };
  if (suggested.act === 'end_hold') return one && may.admin ? { is: 'hold', id: one.id } : { is: 'host' };
  if (suggested.act === 'call_host') return { is: 'host' };
  if (suggested.act === 'wait') return { is: 'parked' };
  if (kind === 'flag') return { is: 'flags', code: code ?? '' };
  if (isOfIncidents(cause)) return one ? { is: 'incident', id: one.id } : { is: 'incidents', code: code ?? '' };
  if (!one) return kind === 'silent_phone' ? { is: 'phones' } : { is: 'entries' };
  if (kind === 'parked') return { is: 'repair', id: one.id };
  if (kind === 'quarantine') return { is: 'kept', id: one.id };
  if (kind === 'silent_phone') return { is: 'phone', id: one.id };
  if (isAtStop(one)) return { is: 'stop', item: one };
  return isAtRoute(one) ? { is: 'route', item: one } : { is: 'entries' };
}

/** Files that never came are incidents after a day. */
export const isOfIncidents = ({ cause }: Cause): boolean => cause.startsWith('incident:');

/** The filters of the list of kept changes that show those of a cause, `quarantine:CODE:NAME`. */
export const keptCause = ({ cause, code }: Cause): { readonly code: string; readonly name: string } => ({
  code: code ?? '',
  name: cause.slice(`quarantine:${code ?? ''}:`.length),
});

/** The cause as the operations on parked rows name it. */
export const parkedCause = ({ cause }: Cause): string => cause.replace(/^parked:/, '');
