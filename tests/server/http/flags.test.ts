import { operations } from '../../../server/src/http/operations.ts';
import * as sql from '../../../server/src/ops/flags/flags-sql.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signIn, signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { opsToken, startRestServer } from '../../support/rest-server.ts';

const { listFlags, syncStops } = operations;
const headers = { authorization: `Bearer ${opsToken}` };

let server: RestServer;
let sentAt: Date;
/** A flag is listed ten seconds after its receipt. */
const settle = (): void => void (server.clock.now = new Date(server.clock.now.getTime() + 10_000));

beforeAll(async () => {
  server = await startRestServer();
  const route = { facility: 'F01', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1), plan(999, 0)] };
  await insertRoutes(server.database.pool, [
    { ...route, id: 'R100' },
    { ...route, id: 'R200', facility: 'F02' },
  ]);
  const as = await signUp(server.client, '1001');
  const send = async (id: string, stop: object) => {
    server.clock.now = new Date(server.clock.now.getTime() + 1_000);
    await server.client.take(syncStops, { as, body: { id, stops: [{ id: 1, ...stop }] } });
  };
  await send('R100', { updates: { driver_comments: 'nothing to say' } });
  await send('R100', { products: [{ id: 'NOSUCH', invoice: 'A', updates: { delivered: 1 } }] });
  await send('R100', { updates: { overage_items: [{ barcode: '1', osd_code: 77, quantity: 1 }] } });
  await send('R200', { products: [{ id: 'ITM100000', invoice: 'INV1', updates: { delivered: 9_999 } }] });
  sentAt = server.clock.now;
  settle();
});

const list = (query = '') => server.client.call(listFlags, { headers, query });
const page = async (query = '') =>
  (await server.client.take(listFlags, { headers, query })).map(({ route_id, warnings }) => [
    route_id,
    ...warnings.map(({ code }) => code),
  ]);

describe('GET /api/ops/flags: the flags of contract §4 for the office', () => {
  test('shows author and reason of each flag, newest first', async () => {
    const [newest] = await server.client.take(listFlags, { headers });
    expect(newest).toMatchObject({
      facility: 'F02',
      route_id: 'R200',
      week_end: '20261121',
      stop_id: 1,
      version: 2,
      source: 'rest',
      employee: '1001',
      employee_name: 'Driver 1001',
      received_at: sentAt.toISOString(),
      edit_time: sentAt.toISOString(),
      warnings: [{ code: 'over_delivered', path: 'products.0.updates.delivered' }],
    });
    expect(await page()).toEqual([
      ['R200', 'over_delivered'],
      ['R100', 'unknown_code'],
      ['R100', 'unknown_product'],
    ]);
  });

  test('filters by facility, route and code', async () => {
    expect(await page('?facility=F01')).toHaveLength(2);
    expect(await page('?route_id=R200')).toHaveLength(1);
    expect(await page('?facility=F01&code=unknown_code')).toEqual([['R100', 'unknown_code']]);
    expect(await page('?code=unknown')).toEqual([]);
    expect(await page('?code=&facility=')).toHaveLength(3);
  });

  test('returns pages that contain each entry once', async () => {
    const first = await list('?limit=2');
    const { next_cursor } = listFlags.meta?.parse(first.meta) ?? {};
    expect(listFlags.data.parse(first.data)).toHaveLength(2);
    const rest = await list(`?limit=2&cursor=${next_cursor}`);
    expect(listFlags.data.parse(rest.data).map(({ warnings }) => warnings[0]?.code)).toEqual(['unknown_product']);
    expect(rest.meta).toEqual({ next_cursor: null });
    expect((await list('?cursor=x')).error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'cursor' }] });
  });

  test('shows values that a stop does not store, by their code', async () => {
    const as = await signIn(server.client, '1001');
    const products = Array.from({ length: 501 }, (_, i) => ({ id: `X${i}`, updates: { delivered: i } }));
    const body = { id: 'R200', stops: [{ id: 1, products }] };
    await server.client.take(syncStops, { as, body });
    expect(await page('?code=too_many_lines')).toEqual([]);
    settle();
    const [flag] = await server.client.take(listFlags, { headers, query: '?code=too_many_lines' });
    expect(flag).toMatchObject({ route_id: 'R200', stop_id: 1, employee: '1001' });
    expect(flag?.warnings.filter(({ code }) => code === 'too_many_lines')).toMatchObject([{ path: 'products.500' }]);
  });

  test('reads the rows of a page and no more, however many flags there are', async () => {
    const { pool } = server.database;
    await pool.query(
      `insert into ledger (facility, id, route_id, week_end, stop_id, version, source, hash, employee, edit_time, received_at,
                           result, warnings, body)
       select 'F0' || n % 3, gen_random_uuid(), 'OLD', '20251121', 1, n, 'rest', '', '1001', now(),
              '2025-11-21'::timestamptz + make_interval(secs => n), 'applied', '[{"code":"late"}]', '{}'
         from generate_series(1, 6000) n`,
    );
    await pool.query('analyze ledger');
    const text = typeof sql.listFlags === 'string' ? sql.listFlags : sql.listFlags.text;
    const { rows } = await pool.query<Record<'QUERY PLAN', string>>(`explain (analyze, timing off) ${text}`, [
      ...[null, null, null, new Date(), null, 11],
    ]);
    const steps = rows.map((row) => row['QUERY PLAN']).join('\n');
    const read = /ledger_flagged on ledger x .*actual rows=([\d.]+) loops=3/.exec(steps)?.[1];
    expect(Number(read)).toBeLessThan(20);
    await pool.query(`delete from ledger where route_id = 'OLD'`);
  });

  test('requires the operators’ token, on the unprefixed set', async () => {
    expect((await server.client.call(listFlags)).error?.code).toBe('MISSING_CREDENTIALS');
    expect((await server.client.send('GET', '/api/v20/ops/flags', { headers })).error?.code).toBe('NOT_FOUND');
  });
});
