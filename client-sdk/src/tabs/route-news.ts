import type { LocalRoute, LocalStop } from '../replica/local-route.ts';

/** A route after a change: stops that stayed the same are only named, and need no copy on their way to another page. */
export interface RouteNews extends Omit<LocalRoute, 'stops'> {
  readonly stops: readonly (LocalStop | number)[];
}

/** What a page that has seen `before` needs to see `after`; parts that did not change are the same objects. */
export function newsOf(before: LocalRoute | undefined, after: LocalRoute): RouteNews {
  const seen = new Set(before?.stops);
  return { ...after, stops: after.stops.map((stop) => (seen.has(stop) ? stop.id : stop)) };
}

/** Undefined where a stop that is only named was never seen: then the whole route is on its way, or has to be asked for. */
export function withNews(before: LocalRoute | undefined, news: RouteNews): LocalRoute | undefined {
  const seen = new Map(before?.stops.map((stop) => [stop.id, stop]));
  const stops = news.stops.flatMap((stop) => (typeof stop === 'number' ? (seen.get(stop) ?? []) : stop));
  return stops.length === news.stops.length ? { ...news, stops } : undefined;
}
