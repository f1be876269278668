import type { LocalRoute, LocalStop } from '../replica/local-route.ts';

/** A route after a change. Unchanged stops appear by number only, so they are not copied between pages. */
export interface RouteDelta extends Omit<LocalRoute, 'stops'> {
  readonly stops: readonly (LocalStop | number)[];
}

/** The message that turns `before` into `after` in another page; unchanged parts are the same objects. */
export function routeDelta(before: LocalRoute | undefined, after: LocalRoute): RouteDelta {
  const seen = new Set(before?.stops);
  return { ...after, stops: after.stops.map((stop) => (seen.has(stop) ? stop.id : stop)) };
}

/** Undefined where a numbered stop is missing: the whole route is on its way, or has to be requested. */
export function withDelta(before: LocalRoute | undefined, delta: RouteDelta): LocalRoute | undefined {
  const seen = new Map(before?.stops.map((stop) => [stop.id, stop]));
  const stops = delta.stops.flatMap((stop) => (typeof stop === 'number' ? (seen.get(stop) ?? []) : stop));
  return stops.length === delta.stops.length ? { ...delta, stops } : undefined;
}
