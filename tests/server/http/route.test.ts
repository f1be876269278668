import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { readRoute, readRouteV20, listRouteDrivers, syncStops } = operations;

let server: RestServer;
const anInstant: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const signed = new Map<string, Signed>();

function driver(id: string): Signed {
  const found = signed.get(id);
  if (!found) throw new Error(`${id} has not signed up`);
  return found;
}

beforeAll(async () => {
  server = await startRestServer();
  const { pool } = server.database;
  const stops = [plan(1), { ...plan(2), sequence: 5 }, { ...plan(3), sequence: 4 }, plan(999, 0)];
  await insertRoutes(pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1002', '1001'], stops },
    { facility: 'F01', id: 'R100', weekEnd: '20261128', drivers: ['1001', '1003'], stops },
    { facility: 'F02', id: 'R200', weekEnd: '20261121', drivers: ['1004'], stops },
    { facility: 'F01', id: 'R300', weekEnd: '20261121', drivers: ['1005'], stops },
    { facility: 'F01', id: 'R301', weekEnd: '20261121', drivers: ['1005'], stops },
    { facility: 'F01', id: 'R302', weekEnd: '20261121', drivers: ['1005'], stops },
    { facility: 'F01', id: 'R303', weekEnd: '20261121', drivers: ['1005', '1006'], stops },
  ]);
  await pool.query(`update route set status = 'C' where id = 'R300'`);
  await pool.query(`update route set withdrawn_at = now() where id = 'R301'`);
  await pool.query(`update route set published_at = null where id = 'R302'`);
  await pool.query(`update route_driver set removed_at = now() where route_id = 'R303' and employee = '1005'`);
  await insertEmployees(pool, ['1007']);
  for (const id of ['1001', '1003', '1004', '1005', '1007']) signed.set(id, await signUp(server.client, id));
});

describe('interface.md 4.4, GET route', () => {
  test('the message is fixed text, on both path sets', async () => {
    for (const [operation, paths] of [
      [readRoute, 'current'],
      [readRouteV20, 'v20'],
    ] as const) {
      const reply = await server.client.call(operation, { paths, as: driver('1004') });
      expect(reply.message).toBe('Pending route found for driver');
    }
  });

  test('a pending stop, unprefixed: every field, in driving order', async () => {
    const route = await server.client.take(readRoute, { as: driver('1004') });
    expect({ ...route, stops: route.stops.map((stop) => stop.id) }).toEqual({
      id: 'R200',
      facility: 'F02',
      name: 'Route R200',
      week_end: '20261121',
      last_updated: anInstant,
      drivers: [{ id: '1004', name: 'Driver 1004', type: 'D' }],
      stops: [1, 3, 2, 999],
    });
    const { customer, invoices, products, collections } = plan(1);
    expect(route.stops[0]).toEqual({
      id: 1,
      type: 'delivery',
      updates: {
        status: 'P',
        followup: false,
        delivered_by_driver_id: null,
        store_emp_id: null,
        store_emp_name: null,
        driver_comments: null,
        signature_id: null,
        osd_emails: [],
        overage_items: [],
      },
      osd_emails: [],
      customer,
      invoices,
      products: products.map(
        ({ id, name, description, invoice, quantity, box_upc, item_upc, section, action_type }) => ({
          ...{ id, name, description, invoice, quantity, box_upc, item_upc, section },
          updates: { delivered: 0, accounting_complete: false, image_ids: null, osd_data: [] },
          action: action_type ? { type: action_type, updates: { delivered: 0, osd_data: [] } } : null,
        }),
      ),
      collections: collections.map(({ id, name, description, quantity, section, container_type }) => ({
        ...{ id, name, description, quantity, section, container_type },
        ...{ required: true, count_in_totes: false, add_photos: true },
        updates: { returned: 0, osd_data: [] },
        action: { type: 'collect', updates: { delivered: 0, osd_data: [] } },
      })),
    });
    expect(route.stops[3]).toMatchObject({ id: 999, type: 'warehouse', products: [] });
  });

  test('the same stop in v20: plan fields of the lines, no results', async () => {
    const route = await server.client.take(readRouteV20, { paths: 'v20', as: driver('1004') });
    expect(route.stops[0]?.products[2]).toEqual({
      id: 'ITM115838',
      name: 'Item 62',
      description: 'A longer description of item 34 12x500ml',
      required: true,
      count_in_totes: false,
      add_photos: true,
      container_type: 'CASE',
      section: 'GROCERY',
      quantity: 5,
      action: { type: 'scan' },
    });
    expect(route.stops[0]?.products[0]?.action).toBeNull();
    expect(route.stops[0]?.collections[0]).toEqual({
      id: 'TOTE',
      name: 'TOTE',
      description: 'TOTE',
      required: true,
      count_in_totes: false,
      add_photos: true,
      container_type: 'CASE',
      section: 'COLLECTIONS',
      quantity: 2,
      action: { type: 'collect' },
    });
  });

  test('except for the lines of its stops, v20 equals the unprefixed set', async () => {
    const [current, v20] = await Promise.all([
      server.client.take(readRoute, { as: driver('1004') }),
      server.client.take(readRouteV20, { paths: 'v20', as: driver('1004') }),
    ]);
    const withoutLines = (stops: readonly { products: unknown; collections: unknown }[]) =>
      stops.map(({ products: _products, collections: _collections, ...stop }) => stop);
    expect({ ...v20, stops: withoutLines(v20.stops) }).toEqual({ ...current, stops: withoutLines(current.stops) });
  });

  test('requires a driver, on both path sets', async () => {
    for (const [operation, paths] of [
      [readRoute, 'current'],
      [readRouteV20, 'v20'],
    ] as const)
      expect((await server.client.call(operation, { paths })).error?.code).toBe('MISSING_CREDENTIALS');
  });
});

describe('contract §4: the pending route', () => {
  test('none is 404 NO_PENDING_ROUTE: nothing assigned; closed, withdrawn, unpublished, taken off', async () => {
    for (const id of ['1007', '1005'])
      expect((await server.client.call(readRoute, { as: driver(id) })).error?.code).toBe('NO_PENDING_ROUTE');
  });

  test('the oldest week first, but a route in progress before it', async () => {
    const week = async () => (await server.client.take(readRoute, { as: driver('1001') })).week_end;
    expect(await week()).toBe('20261121');
    const body = { id: 'R100', facility: 'F01', week_end: '20261128', stops: [{ id: 1, updates: { status: 'D' } }] };
    await server.client.take(syncStops, { as: driver('1001'), body });
    expect(await week()).toBe('20261128');
  });

  test('drivers are in the order of the assignment; last_updated is that of the newest change', async () => {
    const before = await server.client.take(readRoute, { as: driver('1003') });
    expect(before.drivers.map(({ id }) => id)).toEqual(['1001', '1003']);
    const body = { id: 'R100', stops: [{ id: 2, updates: { driver_comments: 'back door' } }] };
    await server.client.take(syncStops, { as: driver('1003'), body });
    const after = await server.client.take(readRoute, { as: driver('1003') });
    expect(after.last_updated > before.last_updated).toBe(true);
  });
});

describe('a cached answer is never outdated', () => {
  const get = () => server.client.take(readRoute, { as: driver('1004') });

  test('the next answer shows a change on another node, on both path sets', async () => {
    const node = await startRestServer({ database: server.database });
    for (const driver_comments of ['one', 'two', 'three']) {
      const body = { id: 'R200', stops: [{ id: 3, updates: { driver_comments } }] };
      await node.client.take(syncStops, { as: driver('1004'), body });
      expect((await get()).stops[1]?.updates.driver_comments).toBe(driver_comments);
      const v20 = await server.client.take(readRouteV20, { paths: 'v20', as: driver('1004') });
      expect(v20.stops[1]?.updates.driver_comments).toBe(driver_comments);
    }
  });

  test('the next answer shows a new plan and a new name of a driver', async () => {
    const { pool } = server.database;
    await get();
    const doc = JSON.stringify({ ...plan(2), customer: { ...plan(2).customer, name: 'Moved Market' } });
    const { rows } = await pool.query<{ version: number }>(
      `update route set version = version + 1 where id = 'R200' returning version`,
    );
    const moved = `update stop_plan set doc = $1, version = $2 where route_id = 'R200' and stop_id = 2`;
    await pool.query(moved, [doc, rows[0]?.version]);
    expect((await get()).stops.find(({ id }) => id === 2)?.customer.name).toBe('Moved Market');
    await pool.query(`update employee set name = 'Ada' where id = '1004'`);
    expect((await get()).drivers).toEqual([{ id: '1004', name: 'Ada', type: 'D' }]);
  });
});

describe('interface.md 4.4, GET route/drivers', () => {
  test.each(['v20', 'current'] as const)(
    'every driver of a route that is not closed, once, ascending, %s',
    async (paths) => {
      const drivers = await server.client.take(listRouteDrivers, { paths });
      expect(drivers).toEqual(['1001', '1002', '1003', '1004', '1006']);
    },
  );
});
