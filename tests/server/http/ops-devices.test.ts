import { operations } from '../../../server/src/http/operations.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { operatorHeaders } from '../../support/operators.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signIn, signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import { opsToken } from '../../support/rest-server.ts';
import { mutationId, TestQueue } from '../../support/sealing.ts';
import { startSyncNode, type SyncNode } from '../../support/sync-node.ts';

const {
  acknowledgeIncident,
  listActs,
  listDevices,
  listIncidents,
  readRoute,
  rescueQueue,
  revokeDevice,
  unregisterDriver,
} = operations;
const headers = { authorization: `Bearer ${opsToken}` };
const route = { facility: 'F01', id: 'R100', week_end: '20261121' };
const body = { by: 'MILLER', reason: 'left on the roof of the truck' };
const unknownId = '0191e5f0-7f3a-7cc1-9d5e-0a4f6a1b2c3d';

let node: SyncNode;

beforeAll(async () => {
  node = await startSyncNode();
  const drivers = ['1001', '1002', '1003', '1004', '1005', '1006', '1007', '1008', '1009', '1010', '1011', '1012'];
  await insertRoutes(node.database.pool, [
    { facility: 'F01', id: 'R100', weekEnd: '20261121', drivers, stops: [plan(1)] },
  ]);
});

const edit = (queue: TestQueue, comment: string) =>
  queue.seal('stop.update', { route, stop: { id: 1, updates: { driver_comments: comment } } });

async function phoneOf(employee: string, more: object = {}, session: object = {}) {
  await signUp(node.client, employee);
  const as = await signIn(node.client, employee, { confirm_login: true, ...session });
  const queue = new TestQueue();
  const phone = await Phone.connect(node.socketUrl, queue.clientId);
  const { queue_key } = await phone.signOn(as, { wants_queue_key: true, ...more });
  return { as, queue, phone, queue_key: queue_key ?? '', params: { client_id: queue.clientId } };
}

const devices = (query = '') => node.client.take(listDevices, { headers, query });
const incidents = (query = '') => node.client.take(listIncidents, { headers, query });

/** Runs the sweep of the minute now. */
const saveGauges = () => node.hub.deviceStatus.save();

const rescue = async (employee: string, pushed: object, by: Record<string, string> = headers): Promise<unknown> => {
  const response = await fetch(`${node.client.url}/api/sync/push`, {
    method: 'POST',
    headers: { ...by, employee_id: employee, 'content-type': 'application/json' },
    body: JSON.stringify(pushed),
  });
  return response.json();
};

describe('GET /api/ops/devices', () => {
  test('shows each phone’s outbox, its age, the app, and which phones with work are offline', async () => {
    const oldest = '2026-11-20T15:31:40.000Z';
    const { params } = await phoneOf('1001', {
      device: 'Tab 5',
      app: 'pod/4.2',
      pending: 7,
      oldest_pending_at: oldest,
    });
    await saveGauges();
    const [shown] = await devices('?employee=1001');
    expect(shown).toMatchObject({
      ...params,
      employee: '1001',
      employee_name: 'Driver 1001',
      device: 'Tab 5',
      app: 'pod/4.2',
      pending: 7,
      oldest_pending_at: oldest,
      silent: false,
      signed_in: true,
      quarantined: 0,
      revoked_at: null,
    });
    node.clock.now = new Date(Date.now() + 61 * 60_000);
    expect(await devices('?state=silent')).toMatchObject([{ ...params, silent: true }]);
    expect(await devices('?state=silent&silent_minutes=90')).toEqual([]);
    node.clock.now = new Date();
    expect(await devices('?state=silent')).toEqual([]);
    expect(await devices('?state=pending&employee=1001')).toHaveLength(1);
    expect(await devices('?state=pending&employee=1002')).toEqual([]);
  });

  test('shows the files on a phone, which its app reports; an app that does not is unknown', async () => {
    const oldest_at = '2026-11-20T15:40:00.000Z';
    const { phone, params } = await phoneOf('1006', { files: { count: 3, bytes: 7_654_321, oldest_at } });
    const shown = async () => {
      await saveGauges();
      return (await devices('?employee=1006')).find(({ client_id }) => client_id === params.client_id);
    };
    expect(await shown()).toMatchObject({
      pending: 0,
      pending_files: 3,
      pending_bytes: 7_654_321,
      oldest_file_at: oldest_at,
    });
    expect(await devices('?state=pending&employee=1006')).toHaveLength(1);
    phone.send({ type: 'ping', files: { count: 0, bytes: 0 } });
    await phone.next('pong');
    expect(await shown()).toMatchObject({ pending_files: 0, pending_bytes: 0, oldest_file_at: null });
    // An older app.
    phone.send({ type: 'ping' });
    await phone.next('pong');
    expect(await shown()).toMatchObject({ pending_files: null, pending_bytes: null, oldest_file_at: null });
  });

  test('shows work on a phone, and its end, within seconds', async () => {
    const timely = await startSyncNode({ database: node.database, limits: { sweep_ms: 400 } });
    await signUp(node.client, '1008');
    const phone = await Phone.connect(timely.socketUrl);
    await phone.signOn(await signIn(node.client, '1008', { confirm_login: true }), { pending: 4 });
    const pending = async () => (await devices('?employee=1008')).map((shown) => shown.pending);
    await expect.poll(pending, { timeout: 60_000 }).toEqual([4]);
    phone.send({ type: 'ping', pending: 0 });
    await phone.next('pong');
    await expect.poll(pending, { timeout: 60_000 }).toEqual([0]);
  });

  test('returns pages that contain each queue once', async () => {
    const { as } = await phoneOf('1002');
    for (let i = 0; i < 2; i++) await (await Phone.connect(node.socketUrl)).signOn(as);
    const all = (await devices('?employee=1002')).map(({ client_id }) => client_id);
    const [, second] = all;
    expect(await devices(`?employee=1002&client_id=${second}`)).toMatchObject([{ client_id: second }]);
    expect(await devices(`?client_id=${unknownId}`)).toEqual([]);
    const named = await node.client.call(listDevices, { headers, query: '?client_id=second' });
    expect(named.error?.details).toMatchObject([{ path: 'client_id' }]);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const reply = await node.client.call(listDevices, { headers, query: `?employee=1002&limit=2&cursor=${cursor}` });
      seen.push(...listDevices.data.parse(reply.data).map(({ client_id }) => client_id));
      cursor = listDevices.meta?.parse(reply.meta).next_cursor ?? null;
    }
    expect(seen).toEqual(all);
    expect(new Set(seen).size).toBe(3);
  });
});

describe('POST /api/ops/devices/:client_id/revoke', () => {
  test('ends the queue, its key and the sessions there; an operator can still release its items', async () => {
    const { as, queue, phone, queue_key, params } = await phoneOf('1003', { device: 'Tab 5' }, { device: 'Tab 5' });
    const elsewhere = await signIn(node.client, '1003', { device: 'spare', confirm_login: true });
    const [one, two] = [edit(queue, 'before'), edit(queue, 'still on the phone')];
    phone.push(one);
    await phone.next('ack');

    const revoked = await node.client.take(revokeDevice, { headers, params, body });
    expect(revoked).toMatchObject({
      ...params,
      revoked_by: 'machine:MILLER',
      revoke_reason: body.reason,
      signed_in: true,
    });
    expect(await phone.next('session')).toMatchObject({ state: 'revoked', reason: 'device_revoked' });
    expect((await node.client.call(readRoute, { as })).error?.code).toBe('INVALID_TOKEN');
    expect((await node.client.call(readRoute, { as: elsewhere })).success).toBe(true);
    phone.push(two);
    expect(await phone.untilClosed()).toMatchObject({ code: 1013 });
    for (const who of [{ queue_key, employee_id: '1003' }, elsewhere]) {
      const again = await Phone.connect(node.socketUrl, queue.clientId);
      again.hello(who);
      expect(await again.next('reject')).toMatchObject({ code: 'CLIENT_REVOKED' });
    }

    const brought = await rescue('1003', { ...params, mutations: [one, two] });
    expect(brought).toMatchObject({ last_seq: 2, results: [{ result: 'duplicate' }, { result: 'applied' }] });
    expect(await devices('?state=revoked')).toMatchObject([{ ...params, last_seq: 2 }]);
    const again = await node.client.take(revokeDevice, { headers, params, body: { by: 'OTHER', reason: 'again' } });
    expect(again).toMatchObject({ revoked_at: revoked.revoked_at, revoked_by: 'machine:MILLER' });
  });

  test('a session without a device id is not left valid', async () => {
    const { as, params } = await phoneOf('1004', { device: 'Tab 5' });
    await node.client.take(revokeDevice, { headers, params, body });
    expect((await node.client.call(readRoute, { as })).error?.code).toBe('INVALID_TOKEN');
  });

  test('an unknown queue is an error', async () => {
    const reply = await node.client.call(revokeDevice, { headers, params: { client_id: unknownId }, body });
    expect(reply.error?.code).toBe('DEVICE_NOT_FOUND');
  });
});

test('POST /api/ops/drivers/:employee/unregister ends every session and lets the driver sign up anew', async () => {
  const params = { employee: '1002' };
  const as = await signIn(node.client, '1002', { confirm_login: true });
  expect(await node.client.take(unregisterDriver, { headers, params, body })).toMatchObject(params);
  expect((await node.client.call(readRoute, { as })).error?.code).toBe('INVALID_TOKEN');
  expect((await node.client.call(unregisterDriver, { headers, params, body })).error?.code).toBe('EMPLOYEE_NOT_FOUND');
  const lines = node.logged.filter((line) => line.includes('an operator has unregistered'));
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    { ...params, user: `machine:${body.by}`, reason: body.reason },
  ]);
  await signUp(node.client, '1002');
});

describe('GET /api/ops/incidents', () => {
  test('lists the records, newest first, until they are acknowledged', async () => {
    const as = await signIn(node.client, '1001', { confirm_login: true });
    const queue = new TestQueue();
    const phone = await Phone.connect(node.socketUrl, queue.clientId);
    await phone.signOn(as);
    const broken = { ...edit(queue, 'one'), prev_hash: 'A'.repeat(43) };
    phone.push(broken);
    await phone.next('ack');
    phone.push({ ...broken, id: mutationId() });
    expect(await phone.next('ack')).toMatchObject({ fork: 1 });

    const [fork, chain] = await incidents('?employee=1001');
    expect(fork).toMatchObject({ kind: 'queue_forked', client_id: queue.clientId, state: 'open' });
    expect(chain).toMatchObject({ kind: 'chain_broken', employee: '1001', client_id: queue.clientId });
    expect(JSON.parse(chain?.details ?? '')).toEqual({ id: broken.id, seq: 1 });

    const params = { incident_id: chain?.incident_id ?? '' };
    expect(await incidents(`?incident_id=${params.incident_id}`)).toEqual([chain]);
    expect(await incidents(`?incident_id=${unknownId}`)).toEqual([]);
    const note = { by: 'MILLER', note: 'a phone that was repaired' };
    const seen = await node.client.take(acknowledgeIncident, { headers, params, body: note });
    expect(seen).toMatchObject({ state: 'acknowledged', acknowledged_by: 'machine:MILLER', note: note.note });
    const other = { by: 'OTHER', note: 'me, too' };
    expect(await node.client.take(acknowledgeIncident, { headers, params, body: other })).toEqual(seen);
    expect((await incidents('?employee=1001')).map(({ kind }) => kind)).toEqual(['queue_forked']);
    expect(await incidents('?state=acknowledged')).toEqual([seen]);
    expect(await incidents('?state=all&employee=1001')).toHaveLength(2);
  });

  test('filters by kind, route and time, in pages', async () => {
    await node.database.pool.query(
      `insert into incident (incident_id, at, kind, details)
       select gen_random_uuid(), '2026-11-20T10:00:00Z'::timestamptz + n * interval '1 hour', 'asset_missing',
              jsonb_build_object('route', jsonb_build_object('facility', 'F0' || n, 'id', 'R' || n))::text
         from generate_series(1, 3) as n`,
    );
    const hours = async (query: string) =>
      (await incidents(`?kind=asset_missing&${query}`)).map(({ at }) => new Date(at).getUTCHours());
    expect(await hours('')).toEqual([13, 12, 11]);
    expect(await hours('facility=F02')).toEqual([12]);
    expect(await hours('route_id=R3')).toEqual([13]);
    expect(await hours('from=2026-11-20T12:00:00Z&until=2026-11-20T14:00:00%2B01:00')).toEqual([12]);
    const first = await node.client.call(listIncidents, { headers, query: '?kind=asset_missing&limit=2' });
    const { next_cursor } = listIncidents.meta?.parse(first.meta) ?? {};
    expect(await hours(`cursor=${next_cursor}`)).toEqual([11]);
  });

  test('filters records whose reason PostgreSQL cannot hold as jsonb', async () => {
    const as = await signIn(node.client, '1001', { confirm_login: true });
    const { clientId } = new TestQueue();
    const phone = await Phone.connect(node.socketUrl, clientId);
    await phone.signOn(as);
    phone.send({ type: 'gone', from: 1, to: 1, reason: 'torn\0' });
    phone.send({ type: 'gone', from: 2, to: 2, reason: 'half \ud800' });
    phone.send({ type: 'ping' });
    await phone.next('pong');
    const lost = async () => (await incidents('?kind=items_gone')).filter(({ client_id }) => client_id === clientId);
    const reasons = (await lost()).map(({ details }): unknown => JSON.parse(details));
    expect(reasons).toEqual([
      { from: 2, to: 2, reason: 'half \ufffd' },
      { from: 1, to: 1, reason: 'torn' },
    ]);
    // As an earlier version stored it.
    const details = { route: { facility: 'F07' }, reason: '\0 \ud800\udbff \\u0000' };
    await node.database.pool.query(
      `insert into incident (incident_id, kind, details) values (gen_random_uuid(), 'items_gone', $1)`,
      [JSON.stringify(details)],
    );
    expect(await incidents('?facility=F07')).toMatchObject([{ details: JSON.stringify(details) }]);
  });

  test('an unknown incident is an error; the list requires the operators’ token', async () => {
    const call = { headers, params: { incident_id: unknownId }, body: { by: 'MILLER', note: 'gone' } };
    expect((await node.client.call(acknowledgeIncident, call)).error?.code).toBe('INCIDENT_NOT_FOUND');
    for (const sent of [node.client.call(listIncidents), node.client.call(listDevices)])
      expect((await sent).error?.code).toBe('MISSING_CREDENTIALS');
  });
});

// The last one here: it stops the node's notifications.
test('a session ends with the answer, even where its notification is late', async () => {
  const { as, params } = await phoneOf('1005', { device: 'Tab 7' });
  await node.client.take(readRoute, { as });
  await node.listener.stop();
  await node.client.take(revokeDevice, { headers, params, body });
  expect((await node.client.call(readRoute, { as })).error?.code).toBe('INVALID_TOKEN');
  const again = await signIn(node.client, '1005', { confirm_login: true });
  await node.client.take(readRoute, { as: again });
  await node.client.take(unregisterDriver, { headers, params: { employee: '1005' }, body });
  expect((await node.client.call(readRoute, { as: again })).error?.code).toBe('INVALID_TOKEN');
});

test('an operator with the role repair brings the queue of a phone, and twice is harmless', async () => {
  const { queue, params } = await phoneOf('1007');
  const pushed = { ...params, mutations: [edit(queue, 'on the broken phone'), edit(queue, 'and then')] };
  const maryb = await operatorHeaders(node, 'repair', 'MARYB');
  const results = (result: string) => ({ results: [{ result }, { result }] });
  expect(await rescue('1007', pushed, maryb)).toMatchObject({ last_seq: 2, ...results('applied') });
  expect(await rescue('1007', pushed, maryb)).toMatchObject({ last_seq: 2, ...results('duplicate') });
  const acts = await node.client.take(listActs, { headers, query: `?subject=${params.client_id}` });
  expect(acts).toMatchObject([{ by: 'MARYB', act: 'rescueQueue', subject_kind: 'device', employee: '1007' }]);
  expect(JSON.parse(acts[0]?.after ?? '')).toEqual({ applied: 2, duplicate: 0, quarantined: 0 });

  const look = await operatorHeaders(node, 'look', 'LEE');
  expect(await rescue('1007', pushed, look)).toMatchObject({ error: { code: 'ROLE_REQUIRED' } });
  expect(await rescue('1007', pushed, { authorization: 'Bearer of-nobody' })).toMatchObject({
    error: { code: 'INVALID_TOKEN' },
  });
});

test('a rescue over plain HTTP leaves the report of the phone as it is', async () => {
  const { queue, params } = await phoneOf('1012', { device: 'Tab 9', pending: 4 });
  await saveGauges();
  const said = async () =>
    (await devices('?employee=1012')).map(({ device, app, sdk, pending, last_seen_at }) => ({
      device,
      app,
      sdk,
      pending,
      last_seen_at,
    }));
  const before = await said();
  expect(before).toMatchObject([{ device: 'Tab 9', pending: 4 }]);
  const exported = { ...params, mutations: [edit(queue, 'saved from the phone')] };
  expect(await rescue('1012', exported)).toMatchObject({ results: [{ result: 'applied' }] });
  expect(await rescue('1012', { ...exported, device: 'laptop', sdk: 'curl', app: 'none', pending: 7 })).toMatchObject({
    results: [{ result: 'duplicate' }],
  });
  await saveGauges();
  expect(await said()).toEqual(before);
});

describe('POST /api/ops/devices/{client_id}/rescue', () => {
  test('has a result for each change; a revoked queue is taken, twice is harmless, and the report stays', async () => {
    const { queue, params } = await phoneOf('1009');
    const misplaced = { route: { facility: 'F01', id: 'R100', week_end: '20261121' }, stop: { id: 77 } };
    const mutations = [edit(queue, 'before the fall'), queue.seal('stop.update', misplaced)];
    await node.client.take(revokeDevice, { headers, params, body });
    await saveGauges();
    const before = await devices('?employee=1009');
    const anab = await operatorHeaders(node, 'repair', 'ANAB');
    const rescued = { headers: anab, params, body: { employee: '1009', mutations } };
    expect(await node.client.take(rescueQueue, rescued)).toMatchObject({
      last_seq: 2,
      wants: null,
      fork: null,
      results: [
        { seq: 1, result: 'applied', reason: null, details: [] },
        { seq: 2, result: 'quarantined', reason: 'route R100 has no stop 77' },
      ],
    });
    const again = await node.client.take(rescueQueue, rescued);
    expect(again.results.map(({ result }) => result)).toEqual(['duplicate', 'quarantined']);
    await saveGauges();
    // The operator is seen, the phone is not.
    expect(await devices('?employee=1009')).toEqual(before.map((phone) => ({ ...phone, last_seq: 2, quarantined: 1 })));
  });

  test('changes behind a gap have no result, and the answer names the missing number', async () => {
    const { queue, params } = await phoneOf('1010');
    edit(queue, 'lost');
    const sent = { employee: '1010', mutations: [edit(queue, 'behind the gap')], by: 'MILLER' };
    expect(await node.client.take(rescueQueue, { headers, params, body: sent })).toEqual({
      last_seq: 0,
      results: [],
      wants: 1,
      fork: null,
    });
  });

  test('a queue of another employee is refused, and so is an item without a readable number', async () => {
    const { queue, params } = await phoneOf('1011');
    const ofOther = { employee: '1001', mutations: [edit(queue, 'not theirs')], by: 'MILLER' };
    const refused = await node.client.call(rescueQueue, { headers, params, body: ofOther });
    expect(refused.error?.code).toBe('CLIENT_OF_OTHER_EMPLOYEE');
    const broken = { employee: '1011', mutations: ['no change'], by: 'MILLER' };
    const reply = await node.client.call(rescueQueue, { headers, params, body: broken });
    expect(reply.error?.code).toBe('VALIDATION_FAILED');
    expect(reply.error?.details[0]?.path).toMatch(/^mutations\.0/);
  });
});
