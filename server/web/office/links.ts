import { href } from '../ui/router.ts';

/** The key of a stop in an address. */
export interface StopKey {
  readonly facility: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly stop_id: number;
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
  host: href('host'),
  /** The record of a stop. `moment` is the entry up to which the stop is shown. */
  history: ({ facility, route_id, week_end, stop_id }: StopKey, moment?: string) =>
    href('stop', facility, route_id, week_end, stop_id, 'history', ...(moment === undefined ? [] : [moment])),
} as const;
