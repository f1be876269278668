import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';

/** The stop number of the warehouse. */
export const warehouse = 999;

export const isPending = (stop: LocalStop): boolean => stop.updates.status === 'P';

/** The stops of a route in the order of the list. */
export interface Order {
  /** The stop to do next: the first pending one, and the warehouse once all others are done. */
  readonly next: LocalStop | undefined;
  /** The other pending stops, in the order of the plan. The warehouse is not among them. */
  readonly later: readonly LocalStop[];
  /** Finished stops, the latest first. */
  readonly done: readonly LocalStop[];
  readonly home: LocalStop | undefined;
  /** Customer stops, finished and all. */
  readonly finished: number;
  readonly total: number;
  readonly excepted: number;
}

export function orderOf({ stops }: Pick<LocalRoute, 'stops'>): Order {
  const home = stops.find(({ id }) => id === warehouse);
  const customers = stops.filter(({ id }) => id !== warehouse);
  const [first, ...later] = customers.filter(isPending);
  const finished = customers.filter((stop) => !isPending(stop));
  const isHomeDone = home !== undefined && !isPending(home);
  const done = finished
    .map((stop, place) => ({ stop, place, at: finishedAt(stop) ?? 0 }))
    .sort((a, b) => b.at - a.at || b.place - a.place)
    .map(({ stop }) => stop);
  return {
    next: first ?? (isHomeDone ? undefined : home),
    later,
    done: isHomeDone && home ? [home, ...done] : done,
    home: isHomeDone ? undefined : home,
    finished: finished.length,
    total: customers.length,
    excepted: finished.filter(({ updates }) => updates.status !== 'D').length,
  };
}

/** When the stop was finished (ms since 1970); undefined where no time is recorded. */
export function finishedAt({ updates }: LocalStop): number | undefined {
  const text =
    updates.status === 'D' || updates.status === 'C' ? updates.end_delivery_time : updates.skip_refuse_timestamp;
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** The pending stop after this one, for the act "Go on"; the warehouse last. */
export function nextAfter(route: Pick<LocalRoute, 'stops'>, id: number): LocalStop | undefined {
  const pending = route.stops.filter((stop) => stop.id !== id && stop.id !== warehouse && isPending(stop));
  const place = route.stops.findIndex((stop) => stop.id === id);
  const later = pending.find((stop) => route.stops.indexOf(stop) > place);
  const home = route.stops.find((stop) => stop.id === warehouse && stop.id !== id && isPending(stop));
  return later ?? pending[0] ?? home;
}
