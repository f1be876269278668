import type { Customer, RouteHeader, StopPlan } from '@tailgate/sync-protocol';
import type { CollectableName, ItemName } from './sample-goods.ts';
import { collectable, goods } from './sample-goods.ts';

/** The driver of the sample route, and the helper who records on another phone. */
export const sampleDriver = { id: '1001', name: 'Sam Ortiz', type: 'DRIVER' };
export const sampleHelper = { id: '1002', name: 'Kim Adler', type: 'HELPER' };

export const sampleHeader: RouteHeader = {
  ...{ facility: 'F01', id: 'S100', week_end: '20260103', name: 'Sample Route North', status: 'O' },
  ...{ arrived: false, closed_at: null, closed_by: null, withdrawn: false, autoclose_at: null, forceclose_at: null },
  drivers: [sampleDriver, sampleHelper],
};

interface Shop {
  readonly name: string;
  readonly street: string;
  readonly zip: string;
  readonly at: readonly [latitude: string, longitude: string];
  /** Minutes after the start of the route. */
  readonly minute: number;
  readonly goods: readonly (readonly [name: ItemName, quantity: number])[];
  readonly back?: readonly (readonly [name: CollectableName, quantity: number])[];
  /** Customer and driver count the returns together. */
  readonly verify?: boolean;
}

const shops: readonly Shop[] = [
  {
    ...{ name: 'Lakeview Corner Market', street: '3180 N Broadway', zip: '60657', at: ['41.938912', '-87.644203'] },
    ...{
      minute: 0,
      goods: [
        ['milk', 12],
        ['eggs', 6],
        ['ketchup', 3],
        ['chips', 8],
      ],
    },
  },
  {
    ...{ name: 'Halsted Food & Fuel', street: '1601 N Halsted St', zip: '60614', at: ['41.911340', '-87.648415'] },
    ...{
      minute: 25,
      goods: [
        ['cigarettes', 3],
        ['snuff', 1],
        ['cola', 10],
        ['cups', 4],
      ],
    },
  },
  {
    ...{ name: 'Taquería El Molino', street: '2554 S Blue Island Ave', zip: '60608', at: ['41.846220', '-87.678031'] },
    ...{
      minute: 55,
      goods: [
        ['peppers', 6],
        ['patties', 4],
        ['fries', 5],
      ],
      back: [
        ['totes', 3],
        ['pallets', 1],
      ],
    },
    verify: true,
  },
  {
    ...{ name: 'Bridgeport Grocery', street: '3241 S Morgan St', zip: '60608', at: ['41.834600', '-87.651100'] },
    ...{
      minute: 80,
      goods: [
        ['water', 2],
        ['coffee', 7],
        ['towels', 5],
        ['cheese', 2],
      ],
      back: [['damaged', 2]],
    },
  },
  {
    ...{ name: 'Pilsen Pantry', street: '1722 W 18th St', zip: '60608', at: ['41.857900', '-87.670700'] },
    ...{
      minute: 105,
      goods: [
        ['milk', 8],
        ['iceCream', 6],
        ['cola', 12],
      ],
    },
  },
  {
    ...{ name: 'Greektown Deli', street: '330 S Halsted St', zip: '60661', at: ['41.877600', '-87.647100'] },
    ...{
      minute: 130,
      goods: [
        ['cheese', 9],
        ['eggs', 4],
        ['towels', 2],
      ],
      back: [['totes', 2]],
    },
  },
  {
    ...{ name: 'Loop Coffee Bar', street: '65 E Lake St', zip: '60601', at: ['41.885800', '-87.625300'] },
    ...{
      minute: 150,
      goods: [
        ['coffee', 12],
        ['milk', 10],
        ['cups', 6],
      ],
    },
  },
  {
    ...{
      name: 'Wicker Park Provisions',
      street: '1484 N Milwaukee Ave',
      zip: '60622',
      at: ['41.909100', '-87.675400'],
    },
    ...{
      minute: 180,
      goods: [
        ['ketchup', 2],
        ['peppers', 3],
        ['fries', 4],
        ['patties', 6],
        ['chips', 10],
      ],
    },
  },
  {
    ...{ name: 'Northside Kitchen Depot', street: '2801 N Elston Ave', zip: '60618', at: ['41.932400', '-87.691200'] },
    ...{
      minute: 210,
      goods: [],
      back: [
        ['pallets', 6],
        ['damaged', 4],
      ],
    },
  },
];

/** The stops of the sample route, and the warehouse. @param start the time of the first delivery */
export const sampleStops = (start: Date): StopPlan[] => [
  ...shops.map((shop, index) => stopOf(shop, index + 1, start)),
  {
    ...{ id: 999, type: 'warehouse', sequence: 999, eta: '', invoices: [], products: [], collections: [] },
    customer: customerOf(
      { name: 'Warehouse', street: '1300 S Ashland Ave', zip: '60608', at: ['41.8649', '-87.6665'] },
      999,
    ),
  },
];

function stopOf(shop: Shop, id: number, start: Date): StopPlan {
  const invoice = `81${String(id).padStart(4, '0')}`;
  const eta = new Date(start.getTime() + shop.minute * 60_000);
  const two = (n: number): string => String(n).padStart(2, '0');
  return {
    id,
    type: shop.goods.length > 0 ? 'delivery' : 'backhaul',
    sequence: id,
    eta: `${two(eta.getHours())}${two(eta.getMinutes())}00`,
    customer: customerOf(shop, id),
    invoices: [{ id: invoice, date: start.toISOString().slice(0, 10) }],
    products: shop.goods.map(([name, quantity]) => goods(name, quantity, invoice)),
    collections: (shop.back ?? []).map(([name, quantity]) => collectable(name, quantity, invoice)),
  };
}

function customerOf(shop: Pick<Shop, 'name' | 'street' | 'zip' | 'at' | 'verify'>, id: number): Customer {
  const [latitude, longitude] = shop.at;
  const salesrep = { id: '501', name: 'Dana Fields', phone: '312-555-0150' };
  return {
    ...{ id: `C${1000 + id}`, name: shop.name, verify_returns: shop.verify ?? false },
    contact: { phone: `312-555-01${String(id % 100).padStart(2, '0')}`, email: '', contact_email: '', salesrep },
    location: {
      address: [shop.street],
      city: 'Chicago',
      state: 'IL',
      zip: shop.zip,
      coordinates: { latitude, longitude },
    },
  };
}
