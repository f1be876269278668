import { operations } from '../../../server/src/http/operations.ts';
import type { PathSetName } from '@tailgate/sync-protocol';
import { beforeAll, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import type { Reply, Signed } from '../../support/rest-client.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { opsToken, startRestServer } from '../../support/rest-server.ts';

// Contract §4: an optional Idempotency-Key header (up to 200 characters, per employee, remembered 30 days).

const { listQuarantine, readRoute, skipStop, syncStops } = operations;
const week = '20261121';

let server: RestServer;
let driver: Signed;
let mate: Signed;
let number = 0;

beforeAll(async () => {
  server = await startRestServer();
  await addRoute('R0');
  driver = await signUp(server.client, '1001');
  mate = await signUp(server.client, '1002');
});

const addRoute = (id: string, weekEnd = week) =>
  insertRoutes(server.database.pool, [
    { facility: 'F01', id, weekEnd, drivers: ['1001', '1002'], stops: [plan(1), plan(2), plan(999, 0)] },
  ]);

/** A route that no other test uses. */
async function freshRoute(): Promise<string> {
  const id = `R${++number}`;
  await addRoute(id);
  return id;
}

const under = (key: string) => ({ 'idempotency-key': key });

const put = (key: string, body: object, call: { as?: Signed; paths?: PathSetName } = {}): Promise<Reply> =>
  server.client.call(syncStops, { as: driver, headers: under(key), body, ...call });

const answered = (reply: Reply) => syncStops.data.parse(reply.data);
const results = (reply: Reply) => answered(reply).stops.map(({ result }) => result);

async function commentOf(id: string, stop = 1): Promise<string | null | undefined> {
  // Only a stop's answer contains a route that is not the pending one: the request sends no fields, so nothing changes.
  await server.database.pool.query(`update route set status = case when id = $1 then 'O' else 'C' end`, [id]);
  const route = await server.client.take(readRoute, { as: driver });
  return route.stops.find((each) => each.id === stop)?.updates.driver_comments;
}

const commented = (comment: string, id = 1) => ({ id, updates: { driver_comments: comment } });

test('a repeat under a key is a duplicate, also after other changes and on the other path set (contract §4)', async () => {
  const id = await freshRoute();
  const body = { id, stops: [commented('first'), { id: 2, updates: { status: 'S' } }] };
  expect(results(await put('k1', body))).toEqual(['applied', 'applied']);
  await put('k2', { id, stops: [commented('second')] });
  expect(results(await put('k1', body, { paths: 'v20' }))).toEqual(['duplicate', 'duplicate']);
  expect(await commentOf(id)).toBe('second');
});

test('another content under the key is 409, and none of it is applied, extra stops neither (contract §4)', async () => {
  const id = await freshRoute();
  await put('k3', { id, stops: [commented('mine')] });
  for (const stops of [[commented('other')], [commented('mine'), commented('extra', 2)], [commented('extra', 2)]]) {
    const reply = await put('k3', { id, stops });
    expect(reply.error).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED', details: [{ path: 'idempotency-key' }] });
  }
  expect(await commentOf(id, 1)).toBe('mine');
  expect(await commentOf(id, 2)).toBeNull();
});

test('a key of PUT route/stop cannot serve PUT skip-refuse: 409 (contract §4)', async () => {
  const id = await freshRoute();
  await put('k4', { id, stops: [commented('mine')] });
  const reply = await server.client.call(skipStop, {
    as: driver,
    headers: under('k4'),
    body: { route_id: id, stop_id: 1 },
  });
  expect(reply.error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
});

test('keys of two drivers are two keys (contract §4)', async () => {
  const id = await freshRoute();
  await put('k5', { id, stops: [commented('his')] });
  expect(results(await put('k5', { id, stops: [commented('hers')] }, { as: mate }))).toEqual(['applied']);
});

test('a key of 201 characters is 400, one of 200 is a key (contract §4)', async () => {
  const body = { id: await freshRoute(), stops: [{ id: 1 }] };
  const reply = await put('k'.repeat(201), body);
  expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'idempotency-key' }] });
  expect((await put('k'.repeat(200), body)).success).toBe(true);
});

test('twenty concurrent requests with one key have one effect, on both path sets (contract §4)', async () => {
  const body = { id: await freshRoute(), stops: [{ id: 1, updates: { status: 'D' } }] };
  const replies = await Promise.all(
    Array.from({ length: 20 }, (_, n) => put('k6', body, { paths: n % 2 === 0 ? 'current' : 'v20' })),
  );
  expect(replies.flatMap(results).toSorted()).toEqual(['applied', ...Array.from({ length: 19 }, () => 'duplicate')]);
  expect(new Set(replies.map((reply) => answered(reply).stops[0]?.version)).size).toBe(1);
});

test('a repeat of a request without a route is applied once the route exists, and resolves its entry (contract §4)', async () => {
  const body = { id: 'LATE', stops: [commented('kept'), commented('kept', 2)] };
  expect((await put('k7', body)).error?.code).toBe('ROUTE_NOT_FOUND');
  expect((await put('k7', body)).error?.code).toBe('ROUTE_NOT_FOUND');
  const headers = { authorization: `Bearer ${opsToken}` };
  const kept = async (query = '') =>
    (await server.client.take(listQuarantine, { headers, query })).filter(({ route_id }) => route_id === 'LATE');
  // Its readable parts are stored for the search.
  expect((await kept()).map(({ stop_id, code }) => `${stop_id} ${code}`).toSorted()).toEqual([
    '1 ROUTE_NOT_FOUND',
    '2 ROUTE_NOT_FOUND',
  ]);
  await addRoute('LATE');
  expect(results(await put('k7', body))).toEqual(['applied', 'applied']);
  expect(results(await put('k7', body))).toEqual(['duplicate', 'duplicate']);
  expect(await kept()).toEqual([]);
  expect((await kept('?state=released')).map(({ resolved_by }) => resolved_by)).toEqual(['sender', 'sender']);
  expect(await commentOf('LATE')).toBe('kept');
});

test('a repeat means the route of the first request, even if the same words now mean another (contract §4)', async () => {
  await addRoute('TWICE', '20261114');
  const body = { id: 'TWICE', stops: [commented('first week')] };
  expect(answered(await put('k8', body)).week_end).toBe('20261114');
  await addRoute('TWICE', '20261128');
  expect((await put('k9', body)).error?.code).toBe('AMBIGUOUS_ROUTE');
  expect(answered(await put('k8', body))).toMatchObject({ week_end: '20261114', stops: [{ result: 'duplicate' }] });
});

test('an ambiguous request changes nothing and uses up no key (contract §4)', async () => {
  await addRoute('MANY', '20261114');
  await addRoute('MANY', '20261128');
  expect((await put('k10', { id: 'MANY', stops: [commented('a')] })).error?.code).toBe('AMBIGUOUS_ROUTE');
  const reply = await put('k10', { id: 'MANY', week_end: '20261128', stops: [commented('a')] });
  expect(results(reply)).toEqual(['applied']);
});

test('after 30 days a key is a new one (contract §4)', async () => {
  const id = await freshRoute();
  const start = server.clock.now;
  await put('k11', { id, stops: [commented('november')] });
  server.clock.now = new Date(start.getTime() + 29 * 86_400_000);
  expect((await put('k11', { id, stops: [commented('december')] })).error?.code).toBe('IDEMPOTENCY_KEY_REUSED');
  server.clock.now = new Date(start.getTime() + 31 * 86_400_000);
  expect(results(await put('k11', { id, stops: [commented('december')] }))).toEqual(['applied']);
  expect(results(await put('k11', { id, stops: [commented('december')] }))).toEqual(['duplicate']);
});
