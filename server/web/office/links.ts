import { href } from '../ui/router.ts';
import { withFilters } from './address.ts';

/** The key of a stop in an address. */
export interface StopKey {
  readonly facility: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly stop_id: number;
}

/** The key of a route in an address. */
export type RouteKey = Omit<StopKey, 'stop_id'>;

interface FoundChange extends RouteKey {
  readonly id: string;
  readonly quarantine_id: string | null;
  readonly stop_id: number | null;
}

/** The addresses of the console. Each opens the same page for any operator. */
export const links = {
  inbox: href(),
  parked: href('parked'),
  repair: (id: string) => href('parked', id),
  quarantine: href('quarantine'),
  kept: (id: string) => href('quarantine', id),
  incidents: href('incidents'),
  incident: (id: string) => href('incidents', id),
  flags: href('flags'),
  phones: href('phones'),
  phone: (id: string) => href('phones', id),
  evidence: href('evidence'),
  rescue: href('rescue'),
  host: href('host'),
  /** The record of a stop. `moment` is the entry up to which the stop is shown. */
  routes: href('routes'),
  /** The list with the news of one route. */
  chosenRoute: ({ facility, route_id, week_end }: RouteKey) => href('routes', facility, route_id, week_end),
  /** A route with all of its stops; with a version: as it was then. */
  route: ({ facility, route_id, week_end }: RouteKey, version?: number) =>
    href('route', facility, route_id, week_end, ...(version === undefined ? [] : [version])),
  stop: ({ facility, route_id, week_end, stop_id }: StopKey) => href('stop', facility, route_id, week_end, stop_id),
  comparison: ({ facility, route_id, week_end, stop_id }: StopKey) =>
    href('stop', facility, route_id, week_end, stop_id, 'columns'),
  /** Everything that this text finds, such as a trace, a driver, an invoice. */
  search: (text: string) => (text === '' ? href('search') : href('search', text)),
  phonesOf: (employee: string) => withFilters(href('phones'), { employee }),
  history: ({ facility, route_id, week_end, stop_id }: StopKey, moment?: string) =>
    href('stop', facility, route_id, week_end, stop_id, 'history', ...(moment === undefined ? [] : [moment])),
} as const;

/** The address of a found change: its entry of quarantine, its stop or its route. That of a load report has none. */
export function foundLink({ quarantine_id, stop_id, ...row }: FoundChange): string | undefined {
  if (quarantine_id !== null) return links.kept(quarantine_id);
  if (row.route_id === '') return undefined;
  return stop_id === null ? links.route(row) : links.history({ ...row, stop_id }, row.id);
}
