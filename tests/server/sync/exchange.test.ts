import {
  clientScope,
  codesScope,
  errorCodes,
  operations,
  pullAnswer,
  pushAnswer,
  routeScope,
  type Cursor,
  type Scope,
} from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import { failure } from '../../support/envelope.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { Phone } from '../../support/phone.ts';
import { Replica } from '../../support/replica.ts';
import { TestQueue } from '../../support/sealing.ts';
import { key, startWithTwoRoutes } from './short-and-long-route.ts';

const scope = routeScope(key);
const { node, driver, otherDriver } = await startWithTwoRoutes({ id: 'R9', stops: 30 });

type Headers = Record<string, string>;

const post = (headers: Headers, body: unknown): Promise<Response> =>
  fetch(`${node.client.url}/api/sync/push`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const push = async (headers: Headers, body: object) => {
  const response = await post(headers, body);
  expect(response.status).toBe(200);
  return pushAnswer.parse(await response.json());
};

const get = (headers: Headers, clientId: string, cursors: Record<Scope, Cursor | null>): Promise<Response> => {
  const query = new URLSearchParams({ client_id: clientId, cursors: JSON.stringify(cursors) });
  return fetch(`${node.client.url}/api/sync/pull?${query}`, { headers });
};

const pull = async (headers: Headers, clientId: string, cursors: Record<Scope, Cursor | null>) => {
  const response = await get(headers, clientId, cursors);
  expect(response.status).toBe(200);
  return pullAnswer.parse(await response.json());
};

const refusal = async (response: Response): Promise<(number | string)[]> => (await refusalInFull(response)).slice(0, 2);
/** With each fault as a sentence. */
const refusalInFull = async (response: Response): Promise<(number | string)[]> => {
  const { error } = failure.parse(await response.json());
  return [response.status, error.code, ...error.details.map(({ path, message }) => `${path} ${message}`.trim())];
};

const edit = (queue: TestQueue, comment: string) =>
  queue.seal('stop.update', { route: key, stop: { id: 1, updates: { driver_comments: comment } } }, new Date());

describe('a push over plain HTTP', () => {
  test('is answered as hello and push are, and the socket continues where it ended', async () => {
    const queue = new TestQueue();
    const items = [edit(queue, 'one'), edit(queue, 'two')];
    const first = await push({ ...driver }, { client_id: queue.clientId, mutations: items });
    expect(first).toMatchObject({ protocol: 1, epoch: '1', last_seq: 2, limits: { mutations_per_push: 256 } });
    expect(first.features).toContain('http');
    expect(first.queue_key).toHaveLength(43);
    expect(first.results.map(({ result }) => result)).toEqual(['applied', 'applied']);

    const phone = await Phone.connect(node.socketUrl, queue.clientId);
    expect(await phone.signOn(driver)).toMatchObject({ last_seq: 2 });
    phone.push(...items, edit(queue, 'three'));
    const ack = await phone.next('ack');
    expect(ack.results.map(({ result }) => result)).toEqual(['duplicate', 'duplicate', 'applied']);
    expect(await push({ ...driver }, { client_id: queue.clientId, mutations: [] })).toMatchObject({
      last_seq: 3,
      results: [],
    });
  });

  test('logs each item with the id of its request', async () => {
    const queue = new TestQueue();
    const item = edit(queue, 'not for the log');
    const headers = { ...driver, 'x-request-id': 'one-push-of-many' };
    await push(headers, { client_id: queue.clientId, mutations: [item] });
    const logged = node.log.lines.map(({ fields }) => fields);
    expect(logged).toContainEqual(
      expect.objectContaining({ mutation: item.id, queue: queue.clientId, seq: 1, reqId: 'one-push-of-many' }),
    );
    expect(JSON.stringify(logged)).not.toContain('not for the log');
  });

  test('needs no session with a queue key; only the queue’s driver may use the key', async () => {
    const queue = new TestQueue();
    const { queue_key = '' } = await push({ ...driver }, { client_id: queue.clientId, mutations: [] });
    const item = edit(queue, 'by key');
    const body = { client_id: queue.clientId, mutations: [item] };
    expect(await push({ 'employee-id': '1001', 'queue-key': queue_key }, body)).toMatchObject({ last_seq: 1 });
    expect(await refusal(await post({ employee_id: '1003', queue_key }, body))).toEqual([
      403,
      'CLIENT_OF_OTHER_EMPLOYEE',
    ]);
    expect(await refusal(await post({ ...otherDriver }, body))).toEqual([403, 'CLIENT_OF_OTHER_EMPLOYEE']);
    expect(await refusal(await post({ employee_id: '1001', queue_key: 'guess' }, body))).toEqual([
      401,
      'INVALID_TOKEN',
    ]);
  });

  test('reports a gap, a fork and a declared loss as the socket does', async () => {
    const queue = new TestQueue();
    const [one, two, three] = [edit(queue, '1'), edit(queue, '2'), edit(queue, '3')];
    const of = (more: object) => push({ ...driver }, { client_id: queue.clientId, ...more });
    expect(await of({ mutations: [two] })).toMatchObject({ last_seq: 0, wants: 1, results: [] });
    const gone = { from: 1, to: 2, reason: 'storage was cleared' };
    expect(await of({ gone, mutations: [three] })).toMatchObject({ last_seq: 3, results: [{ result: 'applied' }] });
    const other = { ...one, id: edit(new TestQueue(), 'x').id };
    expect(await of({ mutations: [other] })).toMatchObject({ fork: 1 });
    const { rows } = await node.database.pool.query('select kind from incident where client_id = $1 order by at', [
      queue.clientId,
    ]);
    expect(rows).toEqual([{ kind: 'items_gone' }, { kind: 'queue_forked' }]);
  });

  test('quarantines invalid items one by one', async () => {
    const queue = new TestQueue();
    const bad = queue.seal('stop.update', { route: key, stop: { id: 1, updates: { driver_comments: '\ud800' } } });
    const good = edit(queue, 'after it');
    const answer = await push({ ...driver }, { client_id: queue.clientId, mutations: [bad, good] });
    expect(answer.results.map(({ result }) => result)).toEqual(['quarantined', 'applied']);
  });

  test('shows none of PostgreSQL’s words to the sender of a change that it refuses, now and later (contract §1)', async () => {
    const { pool } = node.database;
    await pool.query(`alter table stop_result add constraint no_poison check (doc not like '%poison%')`);
    const queue = new TestQueue();
    const poison = queue.seal('stop.update', { route: key, stop: { id: 1, updates: { store_emp_name: 'poison' } } });
    const answer = await push({ ...driver }, { client_id: queue.clientId, mutations: [poison] });
    await pool.query('alter table stop_result drop constraint no_poison');
    const reason = errorCodes.INTERNAL.meaning;
    expect(answer.results).toMatchObject([{ result: 'quarantined', code: 'INTERNAL', reason }]);
    const { frames } = await pull({ ...driver }, queue.clientId, { [clientScope(queue.clientId)]: null });
    expect(JSON.stringify(frames)).toContain(reason);
    expect(JSON.stringify(frames)).not.toContain('no_poison');
    const { rows } = await pool.query<{ reason: string }>('select reason from quarantine where client_id = $1', [
      queue.clientId,
    ]);
    expect(rows[0]?.reason).toContain('no_poison');
  });

  test.each([
    ['no credentials', {}, {}, [401, 'MISSING_CREDENTIALS']],
    ['an invalid token', { employee_id: '1001', api_token: 'x' }, {}, [401, 'INVALID_TOKEN']],
    ['no JSON', undefined, 'nonsense', [400, 'VALIDATION_FAILED', 'must be JSON']],
    [
      'a loss that ends before it begins',
      undefined,
      { client_id: new TestQueue().clientId, mutations: [], gone: { from: 5, to: 3, reason: 'lost' } },
      [400, 'BAD_FRAME', 'gone.to must not be below from'],
    ],
    [
      'a loss beyond every possible sequence',
      undefined,
      { client_id: new TestQueue().clientId, mutations: [], gone: { from: 1, to: 1_000_000, reason: 'lost' } },
      [400, 'BAD_FRAME', 'gone.to must not be above 10000: no later item can have been sent'],
    ],
    ['no client', undefined, { mutations: [] }, [400, 'VALIDATION_FAILED']],
    [
      'another protocol',
      undefined,
      { protocol: 99, client_id: new TestQueue().clientId, mutations: [] },
      [400, 'UNSUPPORTED_PROTOCOL'],
    ],
    [
      'the protocol 0',
      undefined,
      { protocol: 0, client_id: new TestQueue().clientId, mutations: [] },
      [400, 'UNSUPPORTED_PROTOCOL'],
    ],
    [
      'too many items',
      undefined,
      { client_id: new TestQueue().clientId, mutations: Array.from({ length: 257 }, () => 1) },
      [413, 'TOO_LARGE'],
    ],
    ['too many bytes', undefined, `"${'x'.repeat(1_100_000)}"`, [413, 'TOO_LARGE']],
    [
      'an item without id and seq',
      undefined,
      { client_id: new TestQueue().clientId, mutations: [{}] },
      [400, 'BAD_FRAME'],
    ],
  ])('%s: the error names the cause', async (_what, headers, body, expected) => {
    const said = await refusalInFull(await post(headers ?? { ...driver }, body));
    expect(said).toEqual(expect.arrayContaining(expected));
  });
});

describe('a poll over plain HTTP', () => {
  test('returns the changes since the cursors, and reports where nothing is new', async () => {
    const queue = new TestQueue();
    const before = await pull({ ...driver }, '', { [scope]: null, [codesScope]: null });
    expect(before.routes.map(({ id }) => id)).toContain('R1');
    expect(before.frames.map(({ type, scope: of }) => [type, of])).toEqual(
      expect.arrayContaining([
        ['snapshot', scope],
        ['patch', codesScope],
      ]),
    );
    const snapshot = before.frames.find(({ type }) => type === 'snapshot');
    if (snapshot?.type !== 'snapshot') throw new Error('no snapshot frame');
    const at = { epoch: snapshot.epoch, version: snapshot.version };
    // A stop that no other test edits: this server's clock is stopped, and the queue's id decides ties.
    const item = queue.seal('stop.update', { route: key, stop: { id: 2, updates: { driver_comments: 'looked at' } } });
    const { results } = await push({ ...driver }, { client_id: queue.clientId, mutations: [item] });
    const { frames } = await pull({ ...driver }, '', { [scope]: at });
    expect(frames).toMatchObject([
      { type: 'patch', from: at.version, to: results[0]?.version, docs: [{ key: 'result/2' }] },
    ]);
    const [patch] = frames;
    if (patch?.type !== 'patch') throw new Error('no patch');
    const again = await pull({ ...driver }, '', { [scope]: { epoch: patch.epoch, version: patch.to } });
    expect(again.frames).toMatchObject([{ type: 'patch', from: patch.to, to: patch.to, docs: [] }]);
    expect(node.hub.feed.driversOf(scope).size).toBe(0); // No socket follows the route any more.
  });

  test('contains a short scope in full, with a matching checksum', async () => {
    const queue = new TestQueue();
    const bad = queue.seal('stop.update', { route: key, stop: { id: 'x' } });
    await push({ ...driver }, { client_id: queue.clientId, mutations: [bad] });
    const { frames } = await pull({ ...driver }, queue.clientId, { [clientScope(queue.clientId)]: null });
    const [patch] = frames;
    if (patch?.type !== 'patch') throw new Error('no patch');
    const replica = new Replica();
    replica.take(patch);
    expect(replica.value(`quarantine/${bad.id}`)).toMatchObject({ state: 'open', code: 'VALIDATION_FAILED' });
  });

  test('has only the documented frames where a closing timer starts', async () => {
    const timed = { ...key, id: 'R7' };
    await insertRoutes(node.database.pool, [
      { ...timed, weekEnd: timed.week_end, drivers: ['1001'], stops: [plan(1), plan(999, 0)] },
    ]);
    const of = routeScope(timed);
    const [first] = (await pull({ ...driver }, '', { [of]: null })).frames;
    if (first?.type !== 'snapshot') throw new Error('no snapshot frame');
    const body = { id: timed.id, stops: [{ id: 999, arrived: true }] };
    await node.client.take(operations.syncStops, { as: driver, body });
    const { frames } = await pull({ ...driver }, '', { [of]: { epoch: first.epoch, version: first.version } });
    const [patch] = frames;
    if (patch?.type !== 'patch') throw new Error('no patch');
    expect([frames.length, ...patch.docs.map((document) => document.key).toSorted()]).toEqual([
      1,
      'result/999',
      'route',
    ]);
  });

  test('reads the answers to its own queue with a queue key, and nothing else', async () => {
    const queue = new TestQueue();
    const { queue_key = '' } = await push({ ...driver }, { client_id: queue.clientId, mutations: [] });
    const own = clientScope(queue.clientId);
    const { frames, routes } = await pull({ employee_id: '1001', queue_key }, queue.clientId, {
      [own]: null,
      [scope]: null,
    });
    expect(routes).toEqual([]);
    expect(new Map(frames.map(({ type, scope: of }) => [of, type]))).toEqual(
      new Map([
        [scope, 'gone'],
        [own, 'patch'],
      ]),
    );
    expect(await refusal(await get({ ...otherDriver }, queue.clientId, { [own]: null }))).toEqual([
      403,
      'CLIENT_OF_OTHER_EMPLOYEE',
    ]);
    expect((await pull({ ...otherDriver }, '', { [scope]: null, [own]: null })).frames).toMatchObject([
      { type: 'gone' },
      { type: 'gone' },
    ]);
  });

  test.each([
    ['no credentials', {}, '', '{}', [401, 'MISSING_CREDENTIALS']],
    ['cursors that are not JSON', undefined, '', '{', [400, 'VALIDATION_FAILED', 'cursors must be JSON']],
    ['a client that is not a UUID', undefined, 'x', '{}', [400, 'VALIDATION_FAILED']],
    [
      'too many scopes',
      undefined,
      '',
      JSON.stringify(Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`s${n}`, null]))),
      [413, 'TOO_LARGE'],
    ],
  ])('%s: the error names the cause', async (_what, headers, client_id, cursors, expected) => {
    const query = new URLSearchParams({ client_id, cursors });
    const response = await fetch(`${node.client.url}/api/sync/pull?${query}`, { headers: headers ?? { ...driver } });
    expect(await refusalInFull(response)).toEqual(expect.arrayContaining(expected));
  });
});

test('the server answers a ping before hello, so that a phone on plain HTTP detects that sockets work again', async () => {
  const phone = await Phone.connect(node.socketUrl);
  phone.send({ type: 'ping' });
  expect(await phone.next('pong')).toHaveProperty('server_time');
  expect(await phone.signOn(driver)).toMatchObject({ features: ['snapshot', 'http'] });
});
