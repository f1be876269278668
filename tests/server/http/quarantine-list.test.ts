import { operations } from '../../../server/src/http/operations.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { opsToken, startRestServer } from '../../support/rest-server.ts';

const { listQuarantine, syncStops } = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const count = 25;

let server: RestServer;

beforeAll(async () => {
  server = await startRestServer();
  const { pool } = server.database;
  await insertRoutes(pool, [{ facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1)] }]);
  const as = await signUp(server.client, '1001');
  for (let stop = 101; stop < 101 + count; stop++) {
    server.clock.now = new Date(Date.UTC(2026, 10, 20, 8, 0, stop));
    await server.client.call(syncStops, {
      as,
      body: { id: 'R100', stops: [{ id: stop, updates: { driver_comments: 'für später' } }] },
    });
  }
});

const list = (query = '') => server.client.call(listQuarantine, { headers, query });
const page = (query = '') => server.client.take(listQuarantine, { headers, query });

function cursorOf(meta: unknown): string | null {
  if (typeof meta !== 'object' || meta === null || !('next_cursor' in meta)) throw new Error('no next_cursor');
  const { next_cursor } = meta;
  if (next_cursor !== null && typeof next_cursor !== 'string') throw new Error('next_cursor is no text');
  return next_cursor;
}

describe('GET /api/ops/quarantine', () => {
  test('shows sender, reason and text of each entry, newest first', async () => {
    const [first, second] = await page();
    expect(first).toMatchObject({
      employee: '1001',
      employee_name: 'Driver 1001',
      facility: 'F01',
      route_id: 'R100',
      week_end: '20261121',
      stop_id: 125,
      name: 'stop.update',
      code: 'STOP_NOT_FOUND',
      reason: 'route R100 has no stop 125',
      state: 'open',
      body_encoding: 'utf-8',
      client_id: null,
      resolved_at: null,
    });
    expect(JSON.parse(first?.body ?? '')).toMatchObject({
      args: { stop: { updates: { driver_comments: 'für später' } } },
    });
    expect(second?.stop_id).toBe(124);
  });

  test('pages contain each entry once, also during new arrivals', async () => {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = `?limit=7&cursor=${cursor}`;
      const reply = await list(query);
      const items = listQuarantine.data.parse(reply.data);
      expect(items.length).toBeLessThanOrEqual(7);
      seen.push(...items.map((item) => item.quarantine_id));
      cursor = cursorOf(reply.meta);
      await server.database.pool.query(
        `insert into quarantine (quarantine_id, id, hash, employee, name, code, reason, body, received_at)
         values (gen_random_uuid(), gen_random_uuid(), 'x', '1001', 'x', 'X', 'later', '', '2026-11-21')`,
      );
    }
    expect(seen).toHaveLength(count);
    expect(new Set(seen).size).toBe(count);
    await server.database.pool.query(`delete from quarantine where code = 'X'`);
  });

  test('pages split entries of the same microsecond, too', async () => {
    const { pool } = server.database;
    await pool.query(
      `insert into quarantine (quarantine_id, id, hash, employee, name, code, reason, body, received_at)
       select gen_random_uuid(), gen_random_uuid(), 'x', '1001', 'x', 'X', 'same', '', '2026-11-21 00:00:00.123456'
         from generate_series(1, 5)`,
    );
    const first = await list('?limit=2');
    const second = await list(`?limit=3&cursor=${cursorOf(first.meta)}`);
    const ids = [first, second]
      .flatMap(({ data }) => listQuarantine.data.parse(data))
      .map((item) => item.quarantine_id);
    expect(new Set(ids).size).toBe(5);
    await pool.query(`delete from quarantine where code = 'X'`);
  });

  test('a page ends after 4 MiB of received texts, and the next one goes on', async () => {
    const { pool } = server.database;
    await pool.query(
      `insert into quarantine (quarantine_id, id, hash, employee, name, code, reason, body, received_at)
       select gen_random_uuid(), gen_random_uuid(), 'x', '1001', 'x', 'X', 'large', convert_to(repeat('x', 900000), 'UTF8'), now()
         from generate_series(1, 20)`,
    );
    const pages: string[][] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const reply = await list(`?code=X&limit=500&cursor=${cursor}`);
      const items = listQuarantine.data.parse(reply.data);
      pages.push(items.map((item) => item.quarantine_id));
      cursor = cursorOf(reply.meta);
    }
    expect(pages.map((ids) => ids.length)).toEqual([5, 5, 5, 5]);
    expect(new Set(pages.flat()).size).toBe(20);
    await pool.query(`delete from quarantine where code = 'X'`);
  });

  test('filters by state, code and name', async () => {
    const { pool } = server.database;
    await pool.query(
      `update quarantine set state = 'dismissed', resolved_at = now(), resolved_by = 'ann', note = 'known' where stop_id = 101`,
    );
    expect(await page()).toHaveLength(count - 1);
    expect(await page('?state=dismissed')).toMatchObject([{ stop_id: 101, resolved_by: 'ann', note: 'known' }]);
    expect(await page('?state=all')).toHaveLength(count);
    expect(await page('?state=released')).toEqual([]);
    expect(await page('?code=STOP_NOT_FOUND&name=stop.update')).toHaveLength(count - 1);
    expect(await page('?code=ROUTE_NOT_FOUND')).toEqual([]);
    expect(await page('?name=route.open')).toEqual([]);
  });

  test('bytes that are not text come as base64', async () => {
    const { pool } = server.database;
    const bytes = Buffer.from([0xff, 0xfe, 0x00]);
    await pool.query('update quarantine set body = $1 where stop_id = 125', [bytes]);
    expect((await page())[0]).toMatchObject({ body: bytes.toString('base64'), body_encoding: 'base64' });
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['state=lost', 'state'],
    ['cursor=x', 'cursor'],
    ['cursor=WyIyMDI2IiwieCJd', 'cursor'],
  ])('%s is 400', async (query, path) => {
    const reply = await list(`?${query}`);
    expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path }] });
  });
});
