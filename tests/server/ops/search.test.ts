import { beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../../server/src/http/operations.ts';
import { readWithin } from '../../../server/src/db/read-within.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { operatorHeaders } from '../../support/operators.ts';
import { opsToken, startRestServer, type RestServer } from '../../support/rest-server.ts';
import { restChange } from '../../support/rest-change.ts';

const { search } = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const key = { facility: 'F01', id: 'R100', week_end: '20261128' };
const asset = 'Q7fGh2Kd9LmN3pRs';

let server: RestServer;
let change: ReturnType<typeof restChange>;
let refused: ReturnType<typeof restChange>;

const stopOf = (id: number, customer: string, name: string, invoice: string) => {
  const stop = plan(id);
  return { ...stop, customer: { ...stop.customer, id: customer, name }, invoices: [{ id: invoice, date: '' }] };
};

beforeAll(async () => {
  server = await startRestServer();
  const { pool } = server.database;
  await pool.query(`insert into facility (id, name, zone) values ('F01', 'Chicago', 'America/Chicago')`);
  const week = (weekEnd: string, invoice: string) => ({
    facility: 'F01',
    id: 'R100',
    weekEnd,
    drivers: ['1001'],
    stops: [
      stopOf(1, 'C1006', 'Oak Park Pantry', `${invoice}606`),
      stopOf(2, 'C1009', `Café Söderberg & O'Hare`, `${invoice}609`),
    ],
  });
  await insertRoutes(pool, [
    week('20261121', '8000'),
    week('20261128', '8100'),
    { facility: 'F01', id: 'R101', weekEnd: '20261128', drivers: ['1002'], stops: [plan(1)] },
  ]);
  await pool.query(
    `update route set dispatched_on = case week_end when '20261128' then '20261124' else '20261117' end`,
  );
  await pool.query(`update employee set name = 'Inés Quiroga' where id = '1002'`);
  await pool.query(`insert into asset (id, batch, state, expected_at) values ($1, $1, 'L', now())`, [asset]);
  await pool.query(
    `insert into host_shadow (facility, route_id, week_end, stop_id, sequence, rows)
     values ('F01', 'R100', '20261128', 2, 1, '{"files":{"RTSTUP":{"columns":["RUSTS","RUTRC"],"rows":[["D","7KQ2M4XD91TB"]]}}}')`,
  );
  change = restChange(key, { id: 1, updates: { driver_comments: 'side door' } }, '1001');
  refused = restChange(key, { id: 1, updates: { driver_comments: 'not mine' } }, '9999');
  await server.pipeline.submit(change);
  await server.pipeline.submit(refused);
});

const found = (q: string, more = '') =>
  server.client.take(search, { headers, query: `?q=${encodeURIComponent(q)}${more}` });
const stops = async (q: string) =>
  (await found(q)).stops.map(({ route_id, week_end, stop_id, matched }) =>
    [route_id, week_end, stop_id, matched].join(' '),
  );

describe('GET /api/ops/search', () => {
  test('words of a customer find the customer and its stops, the latest first', async () => {
    for (const words of ['oak park', 'PANTRY oak', 'oa pa pan']) {
      const { customers, stops: visited } = await found(words);
      expect(customers).toMatchObject([{ facility: 'F01', customer: 'C1006', name: 'Oak Park Pantry', stops: 2 }]);
      expect(visited.map(({ week_end, stop_id }) => [week_end, stop_id])).toEqual([
        ['20261128', 1],
        ['20261121', 1],
      ]);
    }
    expect((await found('oak street')).customers).toEqual([]);
  });

  test('accents, punctuation and case do not matter', async () => {
    for (const words of ['soderberg', 'Söderberg', 'CAFE', "o'hare", "hare' & | ! :* \\"])
      expect((await found(words)).customers.map(({ customer }) => customer)).toEqual(['C1009']);
    expect((await found('ines qui')).drivers).toMatchObject([{ employee: '1002', name: 'Inés Quiroga' }]);
  });

  test('a route, a stop and a customer are found by their ids', async () => {
    expect((await found('R10')).routes.map(({ route_id, week_end }) => `${route_id} ${week_end}`)).toEqual([
      'R100 20261128',
      'R101 20261128',
      'R100 20261121',
    ]);
    const both = ['R100 20261128 2 stop', 'R100 20261121 2 stop'];
    for (const name of ['R100 2', 'r100/2', 'R100 stop 2']) expect(await stops(name)).toEqual(both);
    expect(await stops('F01/R100/20261121/2')).toEqual(['R100 20261121 2 stop']);
    expect(await stops('c1009')).toEqual(['R100 20261128 2 customer', 'R100 20261121 2 customer']);
  });

  test('an invoice is found whole and by its beginning', async () => {
    expect(await stops('8100606')).toEqual(['R100 20261128 1 invoice']);
    expect(await stops('810060')).toEqual(['R100 20261128 1 invoice', 'R100 20261128 2 invoice']);
    // Invoices may begin with their year: a shorter beginning matches too many.
    expect(await stops('81006')).toEqual([]);
    // A whole invoice is no beginning of others.
    const { pool } = server.database;
    await pool.query(`update stop_plan set invoices = '{810060}' where route_id = 'R101'`);
    expect(await stops('810060')).toEqual(['R101 20261128 1 invoice']);
    await pool.query(`update stop_plan set invoices = '{}' where route_id = 'R101'`);
  });

  test('a statement that takes longer than its limit is ended, and no later one', async () => {
    const { pool } = server.database;
    expect(await readWithin(pool, 20, (tx) => tx.query('select pg_sleep(60)'))).toBeUndefined();
    const { rows } = await pool.query<{ statement_timeout: string }>('show statement_timeout');
    expect(rows[0]?.statement_timeout).not.toBe('20ms');
  });

  test('a trace id, a file, a driver and a change are found by their beginning', async () => {
    for (const trace of ['7KQ2M4XD91TB', '7kq2m4']) expect(await stops(trace)).toEqual(['R100 20261128 2 trace']);
    for (const id of [asset, asset.slice(0, 6)])
      expect((await found(id)).files).toMatchObject([{ asset_id: asset, state: 'awaited' }]);
    expect((await found('1001')).drivers).toMatchObject([{ employee: '1001', name: 'Driver 1001' }]);
    for (const id of [change.id, change.id.slice(0, 10)])
      expect((await found(id)).mutations).toMatchObject([
        { id: change.id, route_id: 'R100', stop_id: 1, employee_name: 'Driver 1001', quarantine_id: null },
      ]);
    const [kept] = (await found(refused.id)).mutations;
    expect(kept).toMatchObject({ id: refused.id, employee: '9999' });
    expect(kept?.quarantine_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('the limit counts for each kind, and says where more follows', async () => {
    const { routes, stops: shown, more } = await found('R10', '&limit=1');
    expect([routes.length, shown.length, more]).toEqual([1, 0, ['routes']]);
  });

  test('a text that is too short or too long is refused, and only operators may search', async () => {
    for (const q of ['', 'a', ' a ', 'a'.repeat(81)]) {
      const reply = await server.client.call(search, { headers, query: `?q=${encodeURIComponent(q)}` });
      expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'q' }] });
    }
    expect((await server.client.call(search, { query: '?q=oak' })).error?.code).toBe('MISSING_CREDENTIALS');
    const look = await operatorHeaders(server, 'look');
    expect((await server.client.call(search, { headers: look, query: '?q=oak' })).success).toBe(true);
  });

  test('the index on trace ids reads the same text as the search', async () => {
    const { rows } = await server.database.pool.query<{ indexdef: string }>(
      `select indexdef from pg_indexes where indexname = 'host_shadow_by_trace'`,
    );
    expect(rows[0]?.indexdef).toContain('"([0-9A-Z]{12})"]]}}');
  });
});
