import { operations } from '@tailgate/sync-protocol';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';

const { readRoute, skipStop, syncStops } = operations;
const aNumber: unknown = expect.any(Number);

let server: RestServer;
let driver: Signed;

beforeAll(async () => {
  server = await startRestServer();
  await insertRoutes(server.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1), plan(2)] },
    { facility: 'F01', id: 'R200', weekEnd: '20261121', drivers: ['1002'], stops: [plan(1)] },
    { facility: 'F01', id: 'R300', weekEnd: '20261121', drivers: ['1001'], stops: [plan(1)] },
    { facility: 'F01', id: 'R300', weekEnd: '20261128', drivers: ['1001'], stops: [plan(1)] },
  ]);
  driver = await signUp(server.client, '1001');
});

beforeEach(async () => {
  await server.database.pool.query(`update stop_result set doc = '{"status":"P"}', status = 'P', version = 1`);
});

const skip = (body: object, call: object = {}) =>
  server.client.call(skipStop, { as: driver, body: { route_id: 'R100', stop_id: 1, ...body }, ...call });

describe('contract §4: PUT skip-refuse', () => {
  test.each(['v20', 'current'] as const)('route_id and stop_id are enough, and skip, %s', async (paths) => {
    const reply = await skip({}, { paths });
    expect(reply.data).toEqual({ route_id: 'R100', stop_id: 1, status: 'S', version: aNumber });
    const { stops } = await server.client.take(readRoute, { as: driver });
    expect(stops.map((stop) => stop.updates.status)).toEqual(['S', 'P']);
  });

  test.each([
    ['an explicit status', { status: 'R', type: 'skip', skip_refuse_reason_code: '01' }, 'R'],
    ['the type', { type: 'refuse' }, 'R'],
    ["the reason code's type", { skip_refuse_reason_code: '10' }, 'R'],
    ['a code that skips', { skip_refuse_reason_code: '01' }, 'S'],
    ['an unknown code', { skip_refuse_reason_code: 'ZZ' }, 'S'],
  ])('the status comes from %s', async (_, body, status) => {
    expect((await skip(body)).data).toMatchObject({ status });
  });

  test('a code that the list has gives no warning', async () => {
    const warned = async (code: string) => {
      const stops = [{ id: 1, updates: { status: 'S', skip_refuse_reason_code: code } }];
      const answer = await server.client.take(syncStops, { as: driver, body: { id: 'R100', stops } });
      return answer.stops[0]?.warnings.map(({ code: what, path }) => [what, path]);
    };
    expect(await warned('01')).toEqual([]);
    expect(await warned('ZZ')).toEqual([['unknown_code', 'updates.skip_refuse_reason_code']]);
  });

  test('stop_id may be numeric text; a malformed time is stored as sent', async () => {
    const sent = {
      skip_refuse_reason_code: '01',
      skip_refuse_timestamp: 'at noon',
      skip_refuse_driver_comment: 'closed',
    };
    expect((await skip({ stop_id: '2', ...sent })).data).toMatchObject({ stop_id: 2, status: 'S' });
    const { rows } = await server.database.pool.query<{ doc: string }>('select doc from stop_result where stop_id = 2');
    expect(JSON.parse(rows[0]?.doc ?? '')).toMatchObject({ updates: sent });
  });

  test('null and "" count as absent; a time is stored as sent', async () => {
    const body = { status: null, type: null, facility: '', week_end: null, skip_refuse_reason_code: '10' };
    const texts = { skip_refuse_timestamp: '', skip_refuse_driver_comment: null };
    expect((await skip({ ...body, ...texts })).data).toMatchObject({ status: 'R' });
    expect((await skip({ ...body, skip_refuse_reason_code: null })).data).toMatchObject({ status: 'S' });
  });

  test('a delivered stop is amended; a skipped one can be delivered, refused and skipped again', async () => {
    const put = (status: string) =>
      server.client.take(syncStops, { as: driver, body: { id: 'R100', stops: [{ id: 1, updates: { status } }] } });
    expect((await put('D')).stops[0]?.warnings).toEqual([]);
    const before = (await skip({ type: 'refuse' })).data;
    expect(before).toMatchObject({ status: 'R' });
    expect((await put('D')).stops[0]).toMatchObject({ status: 'D', warnings: [] });
    expect((await put('S')).stops[0]).toMatchObject({ status: 'S', warnings: [{ code: 'amended' }] });
  });

  test('twenty equal concurrent requests are one change, over both path sets', async () => {
    const paths = ['v20', 'current'] as const;
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, n) => skip({ stop_id: 2, type: 'skip' }, { paths: paths[n % 2] })),
    );
    expect(new Set(replies.map(({ data }) => JSON.stringify(data))).size).toBe(1);
  });

  test('stop sync stores skip_refuse_* and leaves the status alone', async () => {
    const updates = { skip_refuse_reason_code: '10', skip_refuse_timestamp: '', skip_refuse_driver_comment: 'closed' };
    const { stops } = await server.client.take(syncStops, {
      as: driver,
      body: { id: 'R100', stops: [{ id: 1, updates }] },
    });
    expect(stops[0]).toMatchObject({ result: 'applied', status: 'P', warnings: [] });
  });

  test('missing and malformed fields are 400 and named', async () => {
    const body = { route_id: undefined, stop_id: 'x', status: 'D', skip_refuse_reason_code: '1234' };
    const reply = await skip(body);
    expect(reply.error?.code).toBe('VALIDATION_FAILED');
    expect(reply.error?.details.map(({ path }) => path).toSorted()).toEqual([
      'route_id',
      'skip_refuse_reason_code',
      'status',
      'stop_id',
    ]);
    expect((await skip({ route_id: ' ' })).error?.details.map(({ path }) => path)).toEqual(['route_id']);
  });

  test('facility and week_end narrow', async () => {
    expect((await skip({ route_id: 'R300', week_end: '20261128' })).data).toMatchObject({ status: 'S' });
    expect((await skip({ facility: 'F02' })).error?.code).toBe('ROUTE_NOT_FOUND');
  });

  test('errors: unknown stop, unknown route, not assigned, ambiguous', async () => {
    const cases = [
      [{ stop_id: 9 }, 'STOP_NOT_FOUND'],
      [{ route_id: 'R999' }, 'ROUTE_NOT_FOUND'],
      [{ route_id: 'R200' }, 'NOT_ASSIGNED'],
      [{ route_id: 'R300' }, 'AMBIGUOUS_ROUTE'],
    ] as const;
    for (const [body, code] of cases) expect((await skip(body)).error?.code).toBe(code);
    expect((await skip({ stop_id: 9 })).error?.details.map(({ path }) => path)).toEqual(['stop_id']);
    expect((await skip({ route_id: 'R999' })).error?.details.map(({ path }) => path)).toEqual(['route_id']);
  });

  test('under an Idempotency-Key a repeat changes nothing, another content is 409', async () => {
    const headers = { 'idempotency-key': 'skip once' };
    const first = await skip({ type: 'skip' }, { headers });
    expect((await skip({ type: 'skip' }, { headers })).data).toEqual(first.data);
    expect((await skip({ type: 'refuse' }, { headers })).error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
  });
});
