import type { RouteFile } from '../host/tools/load-file.ts';
import { parseRouteFile } from '../host/tools/load-file.ts';
import catalogue from './catalogue.json' with { type: 'json' };
import routes from './routes.json' with { type: 'json' };

const { items, collectables, salesReps } = catalogue;
type DemoItem = (typeof items)[number];
type DemoShop = (typeof catalogue.shops)[number];
type Collectable = (typeof collectables)[number];

/** The five routes of the demo (contract §10), in the shape that `host load` reads. */
export function demoRoutes(weekEnd: string): RouteFile[] {
  return parseRouteFile(
    routes.map(({ customers = [], backhaul: last, generatedStops = 0, ...route }) => ({
      ...route,
      facility: 'F01',
      week_end: weekEnd,
      stops: [
        ...customers.map((shop, index) => customerStop(route.id, index + 1, shopOf(shop))),
        ...(last === undefined ? [] : [backhaul(customers.length + 1, shopOf(last))]),
        ...Array.from({ length: generatedStops }, (_, index) => longStop(index + 1)),
        ...(customers.length > 0 ? [{ id: 999, type: 'warehouse' }] : []),
      ],
    })),
  );
}

/** The first Saturday on or after this day, UTC, YYYYMMDD. */
export function weekEndOf(now: Date): string {
  const saturday = new Date(now);
  saturday.setUTCDate(now.getUTCDate() + (6 - now.getUTCDay()));
  return saturday.toISOString().slice(0, 10).replaceAll('-', '');
}

const customerStop = (route: string, id: number, shop: DemoShop) =>
  route === 'R100' && id === 1 ? firstStop(shop) : delivery(route, id, shop);

/** The stop that docs and tests refer to: an item on two invoices, one to scan, two collections. */
function firstStop(shop: DemoShop) {
  const [milk, eggs, cigarettes] = [itemOf('100234'), itemOf('100241'), itemOf('110020')];
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

function delivery(route: string, id: number, shop: DemoShop) {
  // An invoice belongs to one stop of one route: the route's digit keeps routes that visit the same shop apart.
  const number = `8${route.charAt(1)}${shop.id.slice(2)}${String(id).padStart(2, '0')}`;
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

const backhaul = (id: number, shop: DemoShop) => ({
  id,
  type: 'backhaul',
  customer: customerOf(shop, id),
  collections: [collection(oneOf(collectables, '900032'), '', 10)],
});

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

const product = (item: DemoItem, invoiceId: string, quantity: number) => ({
  ...item,
  invoice: invoiceId,
  quantity,
  box_upc: `100${item.id}0${item.id.slice(-3)}`,
  item_upc: `000${item.id}${item.id.slice(-3)}`,
});

const collection = (line: Collectable, invoiceId: string, quantity: number) => ({
  ...line,
  invoice: invoiceId,
  quantity,
  section: 'RETURNS',
  action: { type: 'collect' },
});

function itemsFrom(start: number, count: number): DemoItem[] {
  return Array.from({ length: count }, (_, index) => items[(start + index) % items.length]).filter(
    (item) => item !== undefined,
  );
}

const itemOf = (id: string): DemoItem => oneOf(items, id);
const shopOf = (id: string): DemoShop => oneOf(catalogue.shops, id);

function oneOf<Row extends { id: string }>(rows: readonly Row[], id: string): Row {
  const row = rows.find((each) => each.id === id);
  if (!row) throw new RangeError(`the demo catalogue lacks ${id}`);
  return row;
}
