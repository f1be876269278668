import { beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../../server/src/http/operations.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';
import { restChange } from '../../support/rest-change.ts';

const { listRoutes, readOpsRoute } = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const weekEnd = '20261128';
const day = '20261124';
const key = { facility: 'F01', id: 'R100', week_end: weekEnd };

let server: RestServer;

beforeAll(async () => {
  server = await startRestServer();
  const { pool } = server.database;
  await pool.query(`insert into facility (id, name, zone) values ('F01', 'Chicago', 'America/Chicago')`);
  const stops = [
    { ...plan(1), eta: '081000', sequence: 2 },
    { ...plan(2), eta: '073000', sequence: 1 },
    { ...plan(3), eta: '093000' },
    { ...plan(4), eta: '001500' },
    plan(999),
  ];
  await insertRoutes(pool, [
    { facility: 'F01', id: 'R100', weekEnd, drivers: ['1001', '1002'], stops },
    { facility: 'F01', id: 'R200', weekEnd, drivers: ['1003'], stops: [plan(1)] },
    { facility: 'F02', id: 'R300', weekEnd, drivers: ['1004'], stops: [plan(1), plan(999)] },
    { facility: 'F02', id: 'R400', weekEnd, drivers: ['1005'], stops: [plan(1)] },
  ]);
  await pool.query(`update route set dispatched_on = $1`, [day]);
  await pool.query(
    `update route set dispatched_on = '20261123', status = 'C', closed_by = 'D', closed_at = now() where id = 'R400'`,
  );
  await pool.query(
    `insert into client (client_id, employee, device, queue_key_hash, pending, oldest_pending_at, last_seen_at)
     values (gen_random_uuid(), '1001', 'Tab 5', '', 3, '2026-11-24T13:00:00Z', '2026-11-24T14:00:00Z'),
            (gen_random_uuid(), '1002', 'Tab 6', '', 1, '2026-11-24T12:00:00Z', '2026-11-24T13:00:00Z')`,
  );
});

const edit = (id: number, rest: object) => server.pipeline.submit(restChange(key, { id, ...rest }, '1001'));
const routes = (query = '') => server.client.take(listRoutes, { headers, query });
const params = { facility: 'F01', route_id: 'R100', week_end: weekEnd };

describe('GET /api/ops/routes', () => {
  test('an untouched route shows its plan, its drivers and the work on their phones', async () => {
    server.clock.now = new Date('2026-11-24T13:00:00Z'); // 07:00 in Chicago
    const [route] = await routes('?facility=F01');
    expect(route).toMatchObject({
      ...params,
      zone: 'America/Chicago',
      dispatched_on: day,
      status: 'O',
      progress: 'PPPP',
      exceptions: 0,
      last_stop: null,
      next_stop: { stop_id: 2, customer_name: 'Müller Market 2', status: 'P', planned_at: '2026-11-24T13:30:00.000Z' },
      late_minutes: 0,
      drivers: [
        { employee: '1001', name: 'Driver 1001', type: 'D' },
        { employee: '1002', name: 'Driver 1002', type: 'D' },
      ],
      last_heard_at: '2026-11-24T14:00:00.000Z',
      pending: 4,
      oldest_pending_at: '2026-11-24T12:00:00.000Z',
      on_host: true,
      parked: 0,
    });
    server.clock.now = new Date('2026-11-24T13:45:00Z');
    expect(await routes('?facility=F01')).toMatchObject([{ late_minutes: 15 }, { late_minutes: null }]);
  });

  test('finished stops count in driving order, with exceptions, missing files and the delay', async () => {
    const [line] = plan(2).products;
    const osd = [
      { osd_id: 'a', osd_code: '20', data: [{ quantity: 1, comment: 'say "osd_parent":', images_id: 'P'.repeat(16) }] },
    ];
    await edit(2, {
      updates: {
        status: 'D',
        start_delivery_time: '2026-11-24T13:28:00.000Z',
        end_delivery_time: '2026-11-24T13:50:00.000Z',
        store_emp_name: 'Rosa Delgado',
        driver_comments: '"end_delivery_time":"2099-01-01T00:00:00.000Z" and "barcode":',
        overage_items: [{ barcode: '0400000000017', osd_code: 85, quantity: 2, comment: '', images_id: '' }],
      },
      products: [{ id: line?.id, invoice: line?.invoice, updates: { delivered: 2, osd_data: osd } }],
    });
    await edit(1, { updates: { status: 'S', skip_refuse_reason_code: '01', skip_refuse_timestamp: 'this morning' } });
    server.clock.now = new Date('2026-11-24T14:00:00Z');
    const [route] = await routes('?facility=F01');
    expect(route).toMatchObject({
      progress: 'DSPP',
      exceptions: 2,
      missing_files: 1,
      last_stop: { stop_id: 2, status: 'D', planned_at: '2026-11-24T13:30:00.000Z', at: '2026-11-24T13:50:00.000Z' },
      next_stop: { stop_id: 3, planned_at: '2026-11-24T15:30:00.000Z' },
      late_minutes: 20,
      on_host: false,
    });
  });

  test('the filters combine, and closed routes need a day', async () => {
    const ids = async (query: string) => (await routes(query)).map(({ route_id }) => route_id);
    expect(await ids('')).toEqual(['R100', 'R200', 'R300']);
    expect(await ids('?facility=F02')).toEqual(['R300']);
    expect(await ids('?date=20261123')).toEqual([]);
    expect(await ids('?date=20261123&state=closed')).toEqual(['R400']);
    expect(await ids(`?date=${day}&state=all&facility=F01`)).toEqual(['R100', 'R200']);
    const refused = await server.client.call(listRoutes, { headers, query: '?state=closed' });
    expect(refused.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'date' }] });
    expect((await server.client.call(listRoutes, { headers, query: '?limit=201' })).error?.code).toBe(
      'VALIDATION_FAILED',
    );
  });

  test('pages contain each route once', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const reply = await server.client.call(listRoutes, { headers, query: `?limit=1&cursor=${cursor}` });
      seen.push(...listRoutes.data.parse(reply.data).map(({ route_id }) => route_id));
      cursor = listRoutes.meta?.parse(reply.meta).next_cursor ?? null;
    }
    expect(seen).toEqual(['R100', 'R200', 'R300']);
  });

  test('an unchanged list is 304 to the caller that has it', async () => {
    const ask = (tag: string) =>
      fetch(`${server.client.url}/api/ops/routes?facility=F02`, { headers: { ...headers, 'if-none-match': tag } });
    const first = await ask('""');
    expect(first.status).toBe(200);
    const tag = first.headers.get('etag') ?? '';
    expect((await ask(tag)).status).toBe(304);
    await server.database.pool.query(`update route set trailer = 'T7' where id = 'R300'`);
    expect((await ask(tag)).status).toBe(200);
  });
});

describe('GET /api/ops/routes/{facility}/{route_id}/{week_end}', () => {
  test('has a summary of each stop in driving order and the latest changes', async () => {
    const { route, stops, latest } = await server.client.take(readOpsRoute, { headers, params });
    expect(route).toMatchObject({ ...params, progress: 'DSPP' });
    expect(stops.map(({ stop_id }) => stop_id)).toEqual([2, 1, 3, 4, 999]);
    expect(stops[0]).toMatchObject({
      ...params,
      sequence: 1,
      customer: 'C2',
      customer_name: 'Müller Market 2',
      city: 'Chicago',
      invoices: ['INV2'],
      planned_at: '2026-11-24T13:30:00.000Z',
      status: 'D',
      status_at: '2026-11-24T13:50:00.000Z',
      status_by: '1001',
      status_by_name: 'Driver 1001',
      planned: 12,
      delivered: 2,
      exceptions: 2,
      received_by: 'Rosa Delgado',
      files: 1,
      missing_files: 1,
      on_host: false,
      parked_since: null,
    });
    // The route drives over midnight.
    expect(stops[3]?.planned_at).toBe('2026-11-25T06:15:00.000Z');
    expect(latest.map(({ stop_id, source, employee }) => [stop_id, source, employee])).toEqual([
      [1, 'rest', '1001'],
      [2, 'rest', '1001'],
    ]);
  });

  test('an unknown route is an error, and only operators may read', async () => {
    const unknown = { ...params, route_id: 'R999' };
    expect((await server.client.call(readOpsRoute, { headers, params: unknown })).error?.code).toBe('ROUTE_NOT_FOUND');
    expect((await server.client.call(readOpsRoute, { params })).error?.code).toBe('MISSING_CREDENTIALS');
    expect((await server.client.call(listRoutes)).error?.code).toBe('MISSING_CREDENTIALS');
  });

  test('the role look may read', async () => {
    const look = await operatorHeaders(server, 'look');
    expect((await server.client.call(listRoutes, { headers: look })).success).toBe(true);
    expect((await server.client.call(readOpsRoute, { headers: look, params })).success).toBe(true);
  });
});
