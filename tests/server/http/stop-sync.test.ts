import { operations } from '@tailgate/sync-protocol';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { MirrorRoute } from '../../support/mirror.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Reply, Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { readRoute, syncStops } = operations;
const key = { id: 'R100', facility: 'F01', week_end: '20261121' };
const image = '0123456789ABCDEF';
const signature = 'FEDCBA9876543210';
const aNumber: unknown = expect.any(Number);

let server: RestServer;
let driver: Signed;
let mate: Signed;
let otherDriver: Signed;

beforeAll(async () => {
  server = await startRestServer();
  await insertRoutes(server.database.pool, [route('R100', ['1001', '1002']), route('R200', ['1003'])]);
  driver = await signUp(server.client, '1001');
  mate = await signUp(server.client, '1002');
  otherDriver = await signUp(server.client, '1003');
});

// Each test has fresh stops: every line, status and version is its own.
beforeEach(async () => {
  const { pool } = server.database;
  await pool.query(`update stop_result set doc = '{"status":"P"}', status = 'P', version = 1`);
  await pool.query(`update route set status = 'O', closed_at = null, closed_by = null, arrived = false`);
  await pool.query('delete from quarantine');
});

const route = (id: string, drivers: string[]): MirrorRoute => ({
  facility: 'F01',
  id,
  weekEnd: '20261121',
  drivers,
  stops: [plan(1), plan(2), plan(3), plan(999, 0)],
});

const put = (stops: unknown[], call: object = {}): Promise<Reply> =>
  server.client.call(syncStops, { as: driver, body: { ...key, stops }, ...call });

async function taken(stops: unknown[], call: object = {}) {
  return server.client.take(syncStops, { as: driver, body: { ...key, stops }, ...call });
}

async function stopNow(id: number) {
  const { stops } = await server.client.take(readRoute, { as: driver });
  return stops.find((stop) => stop.id === id);
}

async function kept() {
  const { rows } = await server.database.pool.query<{ code: string; route_id: string; employee: string; body: Buffer }>(
    'select code, route_id, employee, body from quarantine order by received_at',
  );
  return rows.map(({ body, ...row }) => ({ ...row, body: body.toString() }));
}

describe('contract §4: PUT route/stop', () => {
  test.each(['v20', 'current'] as const)('returns the result of each stop, %s', async (paths) => {
    const stops = [
      { id: 1, updates: { status: 'D' } },
      { id: '2', arrived: true, updates: { status: 'S' } },
    ];
    const data = await taken(stops, { paths });
    expect(data).toEqual({
      route_id: 'R100',
      facility: 'F01',
      week_end: '20261121',
      route_status: 'O',
      received_at: server.clock.now.toISOString(),
      stops: [
        { id: 1, result: 'applied', status: 'D', version: aNumber, warnings: [] },
        { id: 2, result: 'applied', status: 'S', version: aNumber, warnings: [] },
      ],
    });
  });

  test('GET shows the sent values, with the documented nulls and types', async () => {
    const line = plan(1).products[0];
    const osd = {
      osd_id: 'G1',
      osd_code: 10,
      data: [
        { osd_parent: null, comment: 'torn', quantity: 1, images_id: image, barcodes: '0451', quantity_type: 'cases' },
        { osd_parent: 'p1', comment: '', quantity: 2, images_id: '', barcodes: '' },
      ],
    };
    await taken([
      {
        id: 1,
        arrived: true,
        updates: {
          status: 'D',
          followup_reason_code: 'F1',
          store_emp_id: '77',
          store_emp_name: 'Zoë',
          driver_comments: 'ok ✓',
          delivered_by_driver_id: '1002',
          signature_id: signature,
          osd_emails: ['a@example.com'],
          end_delivery_time: '2026-11-20T10:00:00+01:00',
          delivery_latitude: 41.5,
          unknown_field: { any: 1 },
          overage_items: [{ barcode: '99', osd_code: 85, quantity: 3, comment: 'extra', images_id: '' }],
        },
        products: [
          {
            id: line?.id,
            invoice: line?.invoice,
            updates: { delivered: 2, returned: 1, accounting_complete: true, image_ids: image, osd_data: [osd] },
            action: {
              type: 'count',
              updates: { delivered: 4, osd_data: [{ osd_code: '20', data: [{ quantity: 1, barcodes: '123' }] }] },
              open: true,
            },
          },
        ],
        collections: [{ id: 'TOTE', invoice: '', updates: { returned: 2, osd_data: [{ osd_code: '05', data: [] }] } }],
      },
    ]);
    const stop = await stopNow(1);
    expect(stop?.updates).toEqual({
      status: 'D',
      followup: true,
      delivered_by_driver_id: '1002',
      store_emp_id: '77',
      store_emp_name: 'Zoë',
      driver_comments: 'ok ✓',
      signature_id: signature,
      osd_emails: ['a@example.com'],
      overage_items: [{ barcode: '99', osd_code: '85', quantity: 3, comment: 'extra', images_id: null }],
    });
    expect(stop?.osd_emails).toEqual(['a@example.com']);
    expect(stop?.products[0]).toMatchObject({
      updates: {
        delivered: 2,
        accounting_complete: true,
        image_ids: [image],
        osd_data: [
          {
            osd_id: 'G1',
            osd_code: '10',
            data: [
              {
                osd_parent: null,
                comment: 'torn',
                quantity: 1,
                images_id: image,
                barcodes: '0451',
                quantity_type: 'cases',
              },
              { osd_parent: 'p1', comment: '', quantity: 2, images_id: null, barcodes: '', quantity_type: null },
            ],
          },
        ],
      },
      action: {
        type: 'count',
        updates: { delivered: 4, osd_data: [{ osd_id: null, osd_code: '20', data: [{ quantity: 1, barcodes: '' }] }] },
      },
    });
    expect(stop?.collections[0]?.updates).toEqual({ returned: 2, osd_data: [] });
    expect((await stopNow(2))?.updates.status).toBe('P');
  });

  test('delivered_by_driver_id is the sender where the body names no driver of the route', async () => {
    await taken([{ id: 1, updates: { status: 'D', delivered_by_driver_id: '1003' } }]);
    expect((await stopNow(1))?.updates.delivered_by_driver_id).toBe('1001');
  });

  test.each([null, ''])('delivered_by_driver_id %j without a delivery names no driver (contract §1)', async (empty) => {
    await taken([{ id: 2, updates: { delivered_by_driver_id: empty, driver_comments: 'still loading' } }]);
    expect((await stopNow(2))?.updates).toMatchObject({ status: 'P', delivered_by_driver_id: null });
  });

  test('the same object again is a duplicate; A, B, A ends as A', async () => {
    const a = [{ id: 1, updates: { driver_comments: 'A' } }];
    const b = [{ id: 1, updates: { driver_comments: 'B' } }];
    const results = [];
    for (const stops of [a, a, b, a, a]) results.push((await taken(stops)).stops[0]?.result);
    expect(results).toEqual(['applied', 'duplicate', 'applied', 'applied', 'duplicate']);
    expect((await stopNow(1))?.updates.driver_comments).toBe('A');
  });

  test('twenty equal concurrent requests have one effect, over both path sets (contract §4)', async () => {
    const paths = ['v20', 'current'] as const;
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => taken([{ id: 3, updates: { status: 'R' } }], { paths: paths[n % 2] })),
    );
    const results = replies.map(({ stops }) => stops[0]?.result);
    expect(results.filter((result) => result === 'applied')).toHaveLength(1);
    expect(results.filter((result) => result === 'duplicate')).toHaveLength(19);
    expect(new Set(replies.map(({ stops }) => stops[0]?.version)).size).toBe(1);
  });

  test('each applied change raises the version of a stop', async () => {
    const versions = [];
    for (const comment of ['1', '2', '3'])
      versions.push((await taken([{ id: 1, updates: { driver_comments: comment } }])).stops[0]?.version ?? 0);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
  });

  test('back to pending is ignored: stale where nothing else was sent, applied with a warning where there was', async () => {
    await taken([{ id: 1, updates: { status: 'D' } }]);
    const only = await taken([{ id: 1, updates: { status: 'P' } }]);
    expect(only.stops[0]).toMatchObject({ result: 'stale', status: 'D', warnings: [{ code: 'status_ignored' }] });
    const more = await taken([{ id: 1, updates: { status: 'P', driver_comments: 'still' } }]);
    expect(more.stops[0]).toMatchObject({ result: 'applied', status: 'D', warnings: [{ code: 'status_ignored' }] });
  });

  test('business reasons never refuse a change: accepted, with a warning each', async () => {
    const stops = [
      {
        id: 1,
        updates: { status: 'D', skip_refuse_timestamp: 'yesterday' },
        products: [
          {
            id: plan(1).products[0]?.id,
            invoice: 'INV1',
            updates: { delivered: 9_999_999, osd_data: [{ osd_code: 77, data: [{ quantity: 1 }] }] },
          },
          { id: 'NOSUCH', invoice: 'INV1', updates: { delivered: 1 } },
        ],
      },
    ];
    const {
      stops: [stop],
    } = await taken(stops);
    expect(stop?.result).toBe('applied');
    expect(stop?.warnings.map(({ code }) => code).toSorted()).toEqual([
      'over_delivered',
      'unknown_code',
      'unknown_product',
      'unreadable_time',
    ]);
  });

  test('a closed route still accepts everything, with a warning', async () => {
    const closing = await taken([{ id: 999, updates: { status: 'D' } }]);
    expect(closing.route_status).toBe('C');
    const late = await taken([{ id: 1, updates: { status: 'D' } }]);
    expect(late).toMatchObject({
      route_status: 'C',
      stops: [{ result: 'applied', warnings: [{ code: 'after_close' }] }],
    });
  });

  test('an unknown stop is rejected beside the others, and alone it is 404; it is quarantined either way', async () => {
    const reply = await put([
      { id: 1, updates: { status: 'D' } },
      { id: 77, updates: { status: 'D' } },
    ]);
    expect(reply).toMatchObject({
      success: true,
      message: '1 of 2 stops saved',
      data: {
        stops: [
          { id: 1, result: 'applied' },
          { id: 77, result: 'rejected', status: null, version: null, warnings: [{ code: 'STOP_NOT_FOUND' }] },
        ],
      },
    });
    const alone = await put([{ id: 77, updates: { status: 'S' } }]);
    expect(alone.error).toMatchObject({ code: 'STOP_NOT_FOUND', details: [{ path: 'stops.0' }] });
    expect((await kept()).map(({ code }) => code)).toEqual(['STOP_NOT_FOUND', 'STOP_NOT_FOUND']);
  });

  test('a driver who was never on the route gets 403; a removed one is accepted and flagged', async () => {
    const refused = await put([{ id: 1, updates: { status: 'D' } }], { as: otherDriver });
    expect(refused.error?.code).toBe('NOT_ASSIGNED');
    expect(await kept()).toMatchObject([{ code: 'NOT_ASSIGNED', employee: '1003', route_id: 'R100' }]);
    const { pool } = server.database;
    await pool.query(`update route_driver set removed_at = now() where employee = '1002'`);
    const {
      stops: [stop],
    } = await taken([{ id: 1, updates: { status: 'D' } }], { as: mate });
    expect(stop).toMatchObject({ result: 'applied', warnings: [{ code: 'no_longer_assigned' }] });
    await pool.query('update route_driver set removed_at = null');
  });
});
