import { warehouseStop, type RouteKey } from '@tailgate/sync-protocol';
import { hostMoment } from '../../host/files/local-time.ts';
import type { Masters } from '../../host/tools/dispatch.ts';
import { parseRouteFile, type RouteFile } from '../../host/tools/load-file.ts';
import catalogue from '../catalogue.json' with { type: 'json' };
import { weekEndOf } from '../routes.ts';
import depot from './depot.json' with { type: 'json' };
import type { RouteScript } from './script.ts';

export const facility = 'D01';
export const { employees } = depot;

const minuteMs = 60_000;
const { items } = catalogue;

/**
 * Zones by the hours at which the demo can start there, so that no route drives over midnight. In the machine's own zone
 * the office shows all times by one clock. In one of the others it is afternoon at each hour of a UTC day.
 */
const zones = [
  { zone: Intl.DateTimeFormat().resolvedOptions().timeZone, from: 7, until: 21 },
  { zone: 'America/Chicago', from: 12, until: 21 },
  { zone: 'Africa/Johannesburg', from: 12, until: 20 },
  { zone: 'Australia/Brisbane', from: 12, until: 20 },
];

/** The zone of the facility: the machine's, or another one where it is day at the start of the demo. */
export function zoneAt(start: Date): string {
  const hourIn = (zone: string) => Math.floor(Number(hostMoment(start, zone).time) / 10_000);
  const found = zones.find(({ zone, from, until }) => hourIn(zone) >= from && hourIn(zone) < until);
  return found?.zone ?? 'America/Chicago';
}

/** The moment that is `minutes` after the start of the demo. */
export const momentAt = (start: Date, minutes: number): Date => new Date(start.getTime() + minutes * minuteMs);

/** The facility and its employees, as the back office keeps them. */
export function depotMasters(zone: string): Masters {
  return {
    facilities: [{ FAFAC: facility, FANAM: 'Demo day depot', FATZ: zone }],
    employees: employees.map(({ id, name }) => ({
      EMEMP: id,
      EMNAM: name,
      EMPHN: `773-555-01${id.slice(-2)}`,
      EMSTS: 'A',
      EMFAC: facility,
      EMJOB: 'DRIVER',
    })),
    codes: [],
  };
}

export function keyOf(script: RouteScript, start: Date, zone: string): RouteKey {
  const { date } = hostMoment(momentAt(start, script.first), zone);
  const day = new Date(`${date.slice(0, 4)}-${date.slice(4, 6)}-${date.slice(6)}T00:00:00Z`);
  return { facility, id: script.id, week_end: weekEndOf(day) };
}

/** A shop that the back office adds to a route, as its stop `stop`. */
export interface AddedShop {
  readonly stop: number;
  readonly shop: string;
}

/** A route of the script in the form that `host load` reads. */
export function routeFile(
  script: RouteScript,
  { start, zone, added = [] }: { readonly start: Date; readonly zone: string; readonly added?: readonly AddedShop[] },
): RouteFile {
  const { id, name, drivers, shops, first, every } = script;
  const eta = (stop: number) =>
    hostMoment(momentAt(start, first + (stop - 1) * every), zone)
      .time.padStart(6, '0')
      .slice(0, 4) + '00';
  const visits = [...shops.map((shop, index) => ({ stop: index + 1, shop })), ...added];
  const [route] = parseRouteFile({
    ...keyOf(script, start, zone),
    name,
    trailer: `T${id.slice(1)}`,
    email_flag: 'Y',
    drivers: drivers.map((driver, index) => ({ id: driver, type: index === 0 ? 'DRIVER' : 'HELPER' })),
    stops: [
      ...visits.map(({ stop, shop }) => ({
        id: stop,
        type: 'delivery',
        eta: eta(stop),
        customer: customerOf(shop),
        invoices: [{ id: invoiceOf(id, stop), date: dayOf(start) }],
        products: linesOf(id, stop),
      })),
      { id: warehouseStop, type: 'warehouse', eta: eta(visits.length + 1) },
    ],
  });
  if (!route) throw new RangeError(`the demo day has no route ${id}`);
  return route;
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/** Invoices are unique on the host: the digits of the route and the stop. */
const invoiceOf = (route: string, stop: number): string => `7${route.slice(1)}${String(stop).padStart(2, '0')}`;

/** The planned lines of a stop: three to five items of the catalogue. */
export function linesOf(route: string, stop: number) {
  const start = Number(route.slice(1)) * 5 + stop * 3;
  return Array.from({ length: 3 + (start % 3) }, (_, index) => {
    const item = items[(start + index) % items.length];
    if (!item) throw new RangeError('the demo catalogue has no items');
    return {
      ...item,
      invoice: invoiceOf(route, stop),
      quantity: 2 + ((start + index * 7) % 16),
      box_upc: `200${item.id}0${item.id.slice(-3)}`,
      item_upc: `000${item.id}${item.id.slice(-3)}`,
    };
  });
}

function customerOf(id: string) {
  const index = depot.shops.findIndex((shop) => shop.id === id);
  const shop = depot.shops[index];
  if (!shop) throw new RangeError(`the demo depot has no shop ${id}`);
  const mailbox = id.toLowerCase();
  return {
    id,
    name: shop.name,
    verify_returns: false,
    contact: {
      phone: `773-555-${id.slice(1)}`,
      email: `store.${mailbox}@example.com`,
      contact_email: `broker.${mailbox}@example.com`,
      salesrep: depot.salesReps[index % depot.salesReps.length],
    },
    location: {
      address: [shop.street],
      city: 'Chicago',
      state: 'IL',
      zip: shop.zip,
      coordinates: { latitude: shop.latitude, longitude: shop.longitude },
    },
  };
}

/** The place of a shop, where its deliveries are recorded. */
export function placeOf(id: string): { readonly latitude: string; readonly longitude: string } {
  const shop = depot.shops.find((each) => each.id === id);
  if (!shop) throw new RangeError(`the demo depot has no shop ${id}`);
  return shop;
}
