import type { RouteFile } from '../host/tools/load-file.ts';
import { parseRouteFile } from '../host/tools/load-file.ts';
import { collectables, items, salesReps, shops, type DemoItem, type DemoShop } from './catalogue.ts';

/** The five routes of the demo (contract §10), in the shape that `host load` reads. */
export function demoRoutes(weekEnd: string): RouteFile[] {
  const common = { facility: 'F01', week_end: weekEnd };
  const customerStops = (series: number, from: number, count: number, first = 1) =>
    shops.slice(from, from + count).map((shop, index) => delivery(series, first + index, shop));
  return parseRouteFile([
    {
      ...common,
      id: 'R100',
      name: 'Chicago North and West',
      trailer: 'T4471',
      email_flag: 'Y',
      drivers: [driver('1001', 'DRIVER'), driver('1002', 'HELPER')],
      stops: [firstStop(), ...customerStops(1, 1, 11, 2), backhaul(13), warehouse],
    },
    {
      ...common,
      id: 'R200',
      name: 'Chicago South',
      trailer: 'T4472',
      email_flag: 'N',
      drivers: [driver('1003', 'DRIVER')],
      stops: [...customerStops(2, 3, 3), warehouse],
    },
    {
      ...common,
      id: 'R300',
      name: 'Evanston Early',
      trailer: 'T4473',
      email_flag: 'Y',
      drivers: [driver('1004', 'DRIVER')],
      stops: [...customerStops(3, 8, 2), warehouse],
    },
    {
      ...common,
      id: 'R400',
      name: 'Lakefront',
      trailer: 'T4474',
      email_flag: 'Y',
      drivers: [driver('1005', 'DRIVER'), driver('1006', 'HELPER')],
      stops: [...customerStops(4, 0, 2), warehouse],
    },
    {
      ...common,
      id: 'R900',
      name: 'Long Haul',
      trailer: 'T4479',
      email_flag: 'N',
      drivers: [driver('1009', 'DRIVER')],
      stops: Array.from({ length: 150 }, (_, index) => longStop(index + 1)),
    },
  ]);
}

/** The first Saturday on or after this day, UTC, YYYYMMDD. */
export function weekEndOf(now: Date): string {
  const saturday = new Date(now);
  saturday.setUTCDate(now.getUTCDate() + (6 - now.getUTCDay()));
  return saturday.toISOString().slice(0, 10).replaceAll('-', '');
}

const warehouse = { id: 999, type: 'warehouse' };

function driver(id: string, type: string) {
  return { id, type };
}

/** The stop that docs and tests refer to: an item on two invoices, one to scan, two collections. */
function firstStop() {
  const [milk, eggs, , , cigarettes] = items;
  const shop = shops[0];
  if (!milk || !eggs || !cigarettes || !shop) throw new RangeError('the demo catalogue is too small');
  return {
    id: 1,
    type: 'delivery',
    customer: customerOf(shop, 0),
    invoices: [invoice('8100101', 1), invoice('8100102', 2)],
    products: [
      product(milk, '8100101', 12),
      product(milk, '8100102', 4),
      product(eggs, '8100101', 6),
      product(cigarettes, '8100102', 30),
    ],
    collections: collectables.slice(0, 2).map((line, index) => collection(line, '8100101', 4 - index)),
  };
}

function delivery(series: number, id: number, shop: DemoShop) {
  // An invoice belongs to one stop of one route: the route's digit keeps routes that visit the same shop apart.
  const number = `8${series}${shop.id.slice(2)}${String(id).padStart(2, '0')}`;
  const start = Number(shop.id.slice(1)) * 3 + id;
  return {
    id,
    type: 'delivery',
    customer: customerOf(shop, id),
    invoices: [invoice(number, id)],
    products: itemsFrom(start, 3 + (start % 5)).map((item, index) =>
      product(item, number, 2 + ((start + index * 7) % 23)),
    ),
    collections: collectables.slice(0, start % 3).map((line) => collection(line, number, 1 + (start % 6))),
  };
}

function backhaul(id: number) {
  const shop = shops.at(-1);
  const line = collectables[2];
  return { id, type: 'backhaul', customer: shop && customerOf(shop, id), collections: [collection(line, '', 10)] };
}

/** One of 150 stops with 20 products each: a large route that a phone must receive as one document. */
function longStop(id: number) {
  const number = `89${String(id).padStart(5, '0')}`;
  const shop: DemoShop = {
    id: `L${String(id).padStart(4, '0')}`,
    name: `Prairie Mart #${id}`,
    street: `${100 + id * 7} State Route ${1 + (id % 40)}`,
    city: 'Joliet',
    zip: `604${String(id % 100).padStart(2, '0')}`,
    latitude: (41.5 + id / 1000).toFixed(6),
    longitude: (-88.1 - id / 1000).toFixed(6),
  };
  return {
    id,
    type: 'delivery',
    customer: customerOf(shop, id),
    invoices: [invoice(number, id)],
    products: itemsFrom(id, 20).map((item, index) => product(item, number, 1 + ((id + index * 5) % 40))),
    collections: [],
  };
}

function customerOf(shop: DemoShop, index: number) {
  const mailbox = shop.id.toLowerCase();
  return {
    id: shop.id,
    name: shop.name,
    verify_returns: index % 2 === 0,
    contact: {
      phone: `312-555-${String(200 + (Number(shop.id.slice(1)) % 700)).padStart(4, '0')}`,
      email: `store.${mailbox}@example.com`,
      contact_email: `broker.${mailbox}@example.com`,
      salesrep: salesReps[index % salesReps.length],
    },
    location: {
      address: [shop.street, ...(index % 4 === 0 ? ['Rear dock'] : [])],
      city: shop.city,
      state: 'IL',
      zip: shop.zip,
      coordinates: { latitude: shop.latitude, longitude: shop.longitude },
    },
  };
}

function invoice(id: string, day: number) {
  return { id, date: `2026-01-${String(1 + (day % 28)).padStart(2, '0')}` };
}

function product(item: DemoItem, invoiceId: string, quantity: number) {
  return {
    id: item.id,
    name: item.name,
    description: item.description,
    invoice: invoiceId,
    quantity,
    box_upc: `100${item.id}0${item.id.slice(-3)}`,
    item_upc: `000${item.id}${item.id.slice(-3)}`,
    section: item.section,
    container_type: item.container,
    trailer_area: item.area,
    action: item.action === null ? null : { type: item.action },
  };
}

function collection(line: (typeof collectables)[number], invoiceId: string, quantity: number) {
  return {
    id: line.id,
    name: line.name,
    description: line.description,
    invoice: invoiceId,
    quantity,
    section: 'RETURNS',
    container_type: line.container,
    required: line.required,
    count_in_totes: line.inTotes,
    add_photos: line.photos,
    action: { type: 'collect' },
  };
}

function itemsFrom(start: number, count: number): DemoItem[] {
  return Array.from({ length: count }, (_, index) => items[(start + index) % items.length]).filter(
    (item) => item !== undefined,
  );
}
