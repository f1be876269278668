import type { StopPlan } from '@tailgate/sync-protocol';
import type { Queryable } from '../../server/src/db/types.ts';
import { planLines } from '../../server/src/stops/plan-lines.ts';

/** A route to be written straight into the mirror, as the import would have. */
export interface MirrorRoute {
  readonly facility: string;
  readonly id: string;
  readonly weekEnd: string;
  readonly drivers: readonly string[];
  readonly stops: readonly StopPlan[];
  readonly emailFlag?: boolean;
}

/** Writes routes with their plans, pending results, drivers and employees: version 1, published. */
export async function insertRoutes(db: Queryable, routes: readonly MirrorRoute[]): Promise<void> {
  const drivers = routes.flatMap((route) => route.drivers.map((employee, seq) => ({ route, employee, seq })));
  await db.query(
    `insert into employee (id, name, phone, active, facility, job)
     select id, 'Driver ' || id, '', true, facility, 'DRIVER' from unnest($1::text[], $2::text[]) as k (id, facility) on conflict do nothing`,
    [drivers.map(({ employee }) => employee), drivers.map(({ route }) => route.facility)],
  );
  await db.query(
    `insert into route (facility, id, week_end, version, hosted_through, header_version, plan_version, name, email_flag, published_at, dispatched_on)
     select facility, id, week_end, 1, 1, 1, 1, 'Route ' || id, email_flag, now(), week_end
       from unnest($1::text[], $2::text[], $3::text[], $4::boolean[]) as k (facility, id, week_end, email_flag)`,
    [
      routes.map((r) => r.facility),
      routes.map((r) => r.id),
      routes.map((r) => r.weekEnd),
      routes.map((r) => r.emailFlag ?? false),
    ],
  );
  await db.query(
    `insert into route_driver (facility, route_id, week_end, employee, type, seq)
     select *, 'D', 1 from unnest($1::text[], $2::text[], $3::text[], $4::text[])`,
    [
      drivers.map(({ route }) => route.facility),
      drivers.map(({ route }) => route.id),
      drivers.map(({ route }) => route.weekEnd),
      drivers.map(({ employee }) => employee),
    ],
  );
  for (let i = 0; i < routes.length; i += 50)
    await writeStops(
      db,
      routes.slice(i, i + 50).flatMap((route) => route.stops.map((stop) => ({ route, stop }))),
    );
}

/** More stops for an existing route, in a version of its own, without a notification. */
export async function addStops(db: Queryable, route: RouteName, stops: readonly StopPlan[]): Promise<void> {
  await db.query(
    `update route set version = version + 1, plan_version = version + 1, hosted_through = hosted_through + 1
      where (facility, id, week_end) = ($1, $2, $3)`,
    [route.facility, route.id, route.weekEnd],
  );
  await writeStops(
    db,
    stops.map((stop) => ({ route, stop })),
  );
}

type RouteName = Pick<MirrorRoute, 'facility' | 'id' | 'weekEnd'>;

async function writeStops(
  db: Queryable,
  stops: readonly { readonly route: RouteName; readonly stop: StopPlan }[],
): Promise<void> {
  const keys = [
    stops.map(({ route }) => route.facility),
    stops.map(({ route }) => route.id),
    stops.map(({ route }) => route.weekEnd),
    stops.map(({ stop }) => stop.id),
  ];
  const plans = stops.map(({ stop }) => stop);
  await db.query(
    `insert into stop_plan (facility, route_id, week_end, stop_id, version, doc, lines, invoices, sequence, eta, customer)
     select f, r, w, s, plan_version, d, l, array(select jsonb_array_elements_text(i::jsonb)), q, e, c
       from unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::text[], $6::text[], $7::text[], $8::int[], $9::text[], $10::text[])
            as k (f, r, w, s, d, l, i, q, e, c)
       join route on (facility, id, week_end) = (f, r, w)`,
    [
      ...keys,
      plans.map((stop) => JSON.stringify(stop)),
      plans.map(planLines),
      plans.map(({ invoices }) => JSON.stringify(invoices.map(({ id }) => id))),
      plans.map(({ sequence }) => sequence),
      plans.map(({ eta }) => eta),
      plans.map(({ customer }) => customer.id),
    ],
  );
  await db.query(
    `insert into customer (facility, id, name, street, city, phone)
     select distinct on (f, i) f, i, n, a, c, p from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) as k (f, i, n, a, c, p)
     on conflict do nothing`,
    [
      stops.map(({ route }) => route.facility),
      plans.map(({ customer }) => customer.id),
      plans.map(({ customer }) => customer.name),
      plans.map(({ customer }) => customer.location.address[0] ?? ''),
      plans.map(({ customer }) => customer.location.city),
      plans.map(({ customer }) => customer.contact.phone),
    ],
  );
  await db.query(
    `insert into stop_result (facility, route_id, week_end, stop_id, version)
     select f, r, w, s, plan_version from unnest($1::text[], $2::text[], $3::text[], $4::int[]) as k (f, r, w, s)
       join route on (facility, id, week_end) = (f, r, w)`,
    keys,
  );
}

/** A plan of `lines` products (and two collections) with predictable values. */
export function plan(id: number, lines = 3): StopPlan {
  const flags = { required: true, count_in_totes: false, add_photos: true };
  return {
    id,
    type: id === 999 ? 'warehouse' : 'delivery',
    sequence: id,
    eta: '',
    customer: {
      id: `C${id}`,
      name: `Müller Market ${id}`,
      verify_returns: false,
      contact: {
        phone: '312-555-0100',
        email: `store${id}@example.com`,
        contact_email: `manager${id}@example.com`,
        salesrep: { id: 'S1', name: 'Sam Rep', phone: '312-555-0199' },
      },
      location: {
        address: ['1 Main St'],
        city: 'Chicago',
        state: 'IL',
        zip: '60601',
        coordinates: { latitude: '41.878100', longitude: '-87.629800' },
      },
    },
    invoices: [{ id: `INV${id}`, date: '2026-11-20' }],
    products: Array.from({ length: lines }, (_, n) => ({
      id: `ITM${100_000 + n * 7919}`,
      name: `Item ${n * 31}`,
      description: `A longer description of item ${n * 17} 12x500ml`,
      invoice: `INV${id}`,
      quantity: n + 3,
      box_upc: `00${84_512_345_678 + n * 97}`,
      item_upc: `00${74_512_345_678 + n * 89}`,
      section: 'GROCERY',
      container_type: 'CASE',
      trailer_area: 'DRY',
      ...flags,
      action_type: n === 2 ? 'scan' : '',
    })),
    collections: ['TOTE', 'PALLET'].map((item) => ({
      id: item,
      name: item,
      description: item,
      invoice: '',
      quantity: 2,
      section: 'COLLECTIONS',
      container_type: 'CASE',
      ...flags,
    })),
  };
}
