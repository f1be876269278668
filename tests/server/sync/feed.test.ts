import { operations, routeScope } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { withTransaction } from '../../../server/src/db/transaction.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import { Replica } from '../../support/replica.ts';
import type { Signed } from '../../support/rest-client.ts';
import { TestQueue } from '../../support/sealing.ts';
import { readSnapshot } from '../../support/snapshot.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';

let node: SyncNode;
let drivers: [Signed, Signed, Signed];
let routes = 0;

beforeAll(async () => {
  // The sweep for lost hints runs so seldom that every arrival comes from a push.
  node = await startSyncNode({ limits: { sweep_ms: 60_000 } });
  await node.database.pool.query(
    `insert into code values ('section', 'GROCERY', 'Grocery', '', true, '', false, false, 1, true)`,
  );
  await newRoute();
  const signedUp = (id: string) => signUp(node.client, id);
  drivers = [await signedUp('1001'), await signedUp('1002'), await signedUp('1003')];
});

/** A route of its own for a test: 1001 and 1002 drive it. */
async function newRoute(stops = 3) {
  const key = { facility: 'F01', id: `R${++routes}`, week_end: '20261121' };
  const plans = [...Array.from({ length: stops }, (_, n) => plan(n + 1)), plan(999, 0)];
  const all = routes === 1 ? ['1001', '1002', '1003'] : ['1001', '1002'];
  await insertRoutes(node.database.pool, [{ ...key, weekEnd: key.week_end, drivers: all, stops: plans }]);
  return { key, scope: routeScope(key) };
}

async function phoneOf(
  driver: 0 | 1 | 2,
  cursors: object = {},
  queue = new TestQueue(),
): Promise<{ phone: Phone; queue: TestQueue }> {
  const phone = await Phone.connect(node.socketUrl, queue.clientId);
  await phone.signOn(drivers[driver], { cursors });
  return { phone, queue };
}

const delivered = (stop: number, comment = '') => ({ id: stop, updates: { status: 'D', driver_comments: comment } });

describe('a route scope', () => {
  test('sends a new follower to the snapshot; patches follow from the snapshot’s cursor', async () => {
    const { key, scope } = await newRoute();
    const { phone, queue } = await phoneOf(0, { [scope]: null });
    expect(await phone.next('snapshot')).toEqual({ type: 'snapshot', scope, epoch: '1.1', version: 1 });
    const replica = new Replica();
    replica.take(await readSnapshot(node, drivers[0], scope));
    expect([...replica.documents.keys()].sort()).toEqual(
      ['plan/1', 'plan/2', 'plan/3', 'plan/999', 'result/1', 'result/2', 'result/3', 'result/999', 'route'].sort(),
    );
    phone.send({ type: 'subscribe', cursors: { [scope]: replica.cursor } });
    const empty = await phone.next('patch');
    expect(empty).toMatchObject({ from: 1, to: 1, docs: [], deletes: [], hosted_through: 1, parked: [] });
    replica.take(empty);

    phone.push(queue.seal('stop.update', { route: key, stop: delivered(1, 'Tür «links»') }));
    const patch = await phone.next('patch');
    expect(patch).toMatchObject({ from: 1, to: 2, docs: [{ key: 'result/1', version: 2 }] });
    replica.take(patch);
    expect(replica.value('result/1')).toMatchObject({ status: 'D', updates: { driver_comments: 'Tür «links»' } });
    expect(await phone.next('ack')).toMatchObject({ last_seq: 1, results: [{ result: 'applied', version: 2 }] });
  });

  test('sends nothing between the snapshot frame and the next subscription', async () => {
    const { key, scope } = await newRoute();
    const { phone, queue } = await phoneOf(0, { [scope]: null });
    await phone.next('snapshot');
    phone.push(queue.seal('stop.update', { route: key, stop: delivered(1) }));
    await phone.next('ack');
    expect(phone.frames).toEqual([]);
  });

  test('brings the changes of one phone and of REST to the other phone', async () => {
    const { key, scope } = await newRoute();
    const cursors = { [scope]: { epoch: '1.1', version: 1 } };
    const [{ phone: writer, queue }, { phone: watcher }] = await Promise.all([
      phoneOf(0, cursors),
      phoneOf(1, cursors),
    ]);
    await Promise.all([writer.next('patch'), watcher.next('patch')]);
    writer.push(queue.seal('stop.update', { route: key, stop: delivered(1) }));
    expect(await watcher.next('patch')).toMatchObject({ from: 1, to: 2, docs: [{ key: 'result/1' }] });
    await node.client.take(operations.syncStops, { as: drivers[0], body: { id: key.id, stops: [delivered(2)] } });
    expect(await watcher.next('patch')).toMatchObject({ from: 2, to: 3, docs: [{ key: 'result/2' }] });
    // These came from memory. An answer to a later notification shows that their own are processed: each came once.
    await node.database.pool.query(
      `with hosted as (update route set hosted_through = 3 where id = $1 returning 1)
       select pg_notify('tailgate_routes', $2) from hosted`,
      [key.id, scope],
    );
    expect(await watcher.next('patch')).toMatchObject({ from: 3, to: 3, docs: [], hosted_through: 3 });
    expect(watcher.frames).toEqual([]);
  });

  test('brings an old cursor up to date in one patch, and follows from there', async () => {
    const { key, scope } = await newRoute();
    const { phone: writer, queue } = await phoneOf(0);
    writer.push(
      ...[1, 2, 1].map((stop) => queue.seal('stop.update', { route: key, stop: delivered(stop, `${Math.random()}`) })),
    );
    expect((await writer.next('ack')).results.map(({ version }) => version)).toEqual([2, 3, 4]);
    const { phone } = await phoneOf(1, { [scope]: { epoch: '1.1', version: 2 } });
    const patch = await phone.next('patch');
    expect(patch).toMatchObject({ from: 2, to: 4 });
    expect(new Map(patch.docs.map(({ key: name, version }) => [name, version]))).toEqual(
      new Map([
        ['result/1', 4],
        ['result/2', 3],
      ]),
    );
    writer.push(queue.seal('stop.update', { route: key, stop: delivered(3) }));
    expect(await phone.next('patch')).toMatchObject({ from: 4, to: 5 });
  });

  test.each([
    ['of another epoch', { epoch: '1.7', version: 1 }],
    ['of another server epoch', { epoch: '3.1', version: 1 }],
    ['ahead of every version', { epoch: '1.1', version: 99 }],
  ])('a cursor %s is sent to the snapshot', async (_name, cursor) => {
    const { scope } = await newRoute();
    const { phone } = await phoneOf(0, { [scope]: cursor });
    expect(await phone.next('snapshot')).toMatchObject({ scope, epoch: '1.1', version: 1 });
  });

  test('a cursor far behind is sent to the snapshot', async () => {
    const { scope } = await newRoute(40);
    const { phone } = await phoneOf(0, { [scope]: { epoch: '1.1', version: 0 } });
    expect(await phone.next('snapshot')).toMatchObject({ scope, version: 1 });
  });

  test('reports the progress on the host and the parked stops, without documents', async () => {
    const { key, scope } = await newRoute();
    const { phone, queue } = await phoneOf(0, { [scope]: { epoch: '1.1', version: 1 } });
    await phone.next('patch');
    phone.push(queue.seal('stop.update', { route: key, stop: delivered(1) }));
    await phone.next('patch');
    // In one transaction, as a worker writes both: the feed may read at any moment.
    await withTransaction(node.database.pool, async (tx) => {
      await tx.query('update route set hosted_through = 2 where id = $1', [key.id]);
      await tx.query(
        `insert into parked (facility, route_id, week_end, stop_id, version, sqlstate, reason, payload)
         values ($1, $2, $3, 1, 2, '22001', 'RUCMT is too long', '{}')`,
        [key.facility, key.id, key.week_end],
      );
      await tx.query(`select pg_notify('tailgate_routes', $1)`, [scope]);
    });
    expect(await phone.next('patch')).toMatchObject({
      from: 2,
      to: 2,
      docs: [],
      hosted_through: 2,
      parked: [{ stop: 1, reason: 'RUCMT is too long' }],
    });
  });

  test('sends a changed or removed plan by notification', async () => {
    const { key, scope } = await newRoute();
    const replica = new Replica();
    replica.take(await readSnapshot(node, drivers[0], scope));
    const { phone } = await phoneOf(0, { [scope]: replica.cursor });
    replica.take(await phone.next('patch'));
    await importPlan(
      key.id,
      scope,
      `update stop_plan set version = 2, doc = '{"new":true}' where route_id = $1 and stop_id = 1`,
    );
    replica.take(await phone.next('patch'));
    expect(replica.value('plan/1')).toEqual({ new: true });
    await importPlan(
      key.id,
      scope,
      'update stop_plan set version = 3, removed_at = now() where route_id = $1 and stop_id = 2',
    );
    replica.take(await phone.next('patch', (patch) => patch.to === 3));
    expect(replica.documents.has('plan/2')).toBe(false);
    // The driver's own work on a stop that the host removed is retained.
    expect(replica.documents.has('result/2')).toBe(true);
    const fresh = new Replica();
    fresh.take(await readSnapshot(node, drivers[0], scope));
    expect(fresh.documents).toEqual(replica.documents);
  });

  test('sends its followers to the snapshot after a reload of the route', async () => {
    const { key, scope } = await newRoute();
    const { phone } = await phoneOf(0, { [scope]: { epoch: '1.1', version: 1 } });
    await phone.next('patch');
    await importPlan(key.id, scope, 'update route set epoch = 2, version = 5 where id = $1');
    expect(await phone.next('snapshot')).toMatchObject({ scope, epoch: '1.2' });
  });
});

/** The import's write: one change under one version, and a notification. */
async function importPlan(id: string, scope: string, statement: string): Promise<void> {
  await node.database.pool.query(statement, [id]);
  await node.database.pool.query(
    `with moved as (update route set version = greatest(version, 1) + 1 where id = $1 returning 1)
     select pg_notify('tailgate_routes', $2) from moved`,
    [id, scope],
  );
}

describe('the right to a scope', () => {
  test('belongs to the drivers of the route', async () => {
    const { scope } = await newRoute();
    const { phone } = await phoneOf(2, {
      [scope]: null,
      'route:F01:NONE:20261121': null,
      nonsense: null,
      'client:someone': null,
    });
    const gone = await Promise.all([1, 2, 3, 4].map(() => phone.next('gone')));
    expect(gone.map((frame) => frame.scope).sort()).toEqual(
      ['client:someone', 'nonsense', scope, 'route:F01:NONE:20261121'].sort(),
    );
    expect(new Set(gone.map(({ reason }) => reason))).toEqual(new Set(['NOT_ASSIGNED']));
  });

  test('ends with the assignment: the scope is gone, and the route list changes', async () => {
    const { key, scope } = await newRoute();
    const { phone } = await phoneOf(1, { [scope]: { epoch: '1.1', version: 1 } });
    const { phone: other, queue } = await phoneOf(0, { [scope]: { epoch: '1.1', version: 1 } });
    await Promise.all([phone.next('patch'), other.next('patch')]);
    await node.database.pool.query(
      `with off as (update route_driver set removed_at = now() where route_id = $1 and employee = '1002' returning employee)
       select pg_notify('tailgate_assignments', employee) from off`,
      [key.id],
    );
    expect(await phone.next('gone')).toMatchObject({ scope, reason: 'NOT_ASSIGNED' });
    expect((await phone.next('routes')).routes.map(({ id }) => id)).not.toContain(key.id);
    other.push(queue.seal('stop.update', { route: key, stop: delivered(1) }));
    await other.next('patch');
    await other.next('ack');
    expect(phone.frames).toEqual([]);
  });

  test('begins with an assignment: the route list changes', async () => {
    const { phone } = await phoneOf(0);
    const { key } = await newRoute();
    await node.database.pool.query(`select pg_notify('tailgate_assignments', '1001 1002')`);
    expect((await phone.next('routes')).routes.map(({ id }) => id)).toContain(key.id);
  });

  test('begins with an assignment that the server has not heard of while others followed the route', async () => {
    const { key, scope } = await newRoute();
    const cursors = { [scope]: { epoch: '1.1', version: 1 } };
    const { phone: other } = await phoneOf(0, cursors);
    await other.next('patch');
    await node.database.pool.query(
      `insert into route_driver (facility, route_id, week_end, employee, type, seq)
       select facility, route_id, week_end, '1003', type, 3 from route_driver where route_id = $1 and employee = '1002'`,
      [key.id],
    );
    const { phone } = await phoneOf(2, cursors);
    expect(await phone.next('patch')).toMatchObject({ scope, to: 1 });
  });

  test('a closed route moves behind the open ones', async () => {
    const { key, scope } = await newRoute(1);
    const { phone, queue } = await phoneOf(0, { [scope]: { epoch: '1.1', version: 1 } });
    await phone.next('patch');
    phone.push(queue.seal('stop.update', { route: key, stop: { id: 999, updates: { status: 'D' } } }));
    const { routes: listed } = await phone.next('routes');
    expect(listed.at(-1)).toMatchObject({ id: key.id, status: 'C' });
  });
});

describe('other scopes', () => {
  test('codes:all arrives as a snapshot, and as another one when its version changes', async () => {
    const { phone } = await phoneOf(0, { 'codes:all': null });
    const replica = new Replica();
    replica.take(await phone.next('patch'));
    expect(replica.value('code/section/GROCERY')).toMatchObject({
      type: 'section',
      code: 'GROCERY',
      description: 'Grocery',
      sort: 1,
    });
    await node.database.pool.query(`
      with one as (insert into scope_version values ('codes:all', 1) returning 1),
           two as (insert into code values ('section', 'DAIRY', 'Dairy', '', true, '', false, false, 2, true) returning 1)
      select pg_notify('tailgate_routes', 'codes:all') from one, two`);
    const patch = await phone.next('patch');
    expect(patch).toMatchObject({ from: null, to: 1 });
    replica.take(patch);
    expect([...replica.documents.keys()]).toEqual(['code/section/GROCERY', 'code/section/DAIRY']);
    const { phone: current } = await phoneOf(1, { 'codes:all': replica.cursor });
    expect(await current.next('patch')).toMatchObject({ from: 1, to: 1, docs: [] });
  });

  test('client:… contains the queue’s quarantined items and their decisions', async () => {
    const { key } = await newRoute();
    const queue = new TestQueue();
    const scope = `client:${queue.clientId}`;
    const { phone } = await phoneOf(0, { [scope]: null }, queue);
    const replica = new Replica();
    replica.take(await phone.next('patch'));
    const item = queue.seal('stop.update', { route: key, stop: delivered(77) });
    phone.push(item);
    expect(await phone.next('ack')).toMatchObject({ results: [{ result: 'quarantined', code: 'STOP_NOT_FOUND' }] });
    replica.take(await phone.next('patch'));
    expect(replica.value(`quarantine/${item.id}`)).toMatchObject({ state: 'open', code: 'STOP_NOT_FOUND' });
    await node.database.pool.query(
      `with raised as (update client set version = version + 1 where client_id = $1 returning version),
            done as (update quarantine set state = 'dismissed', client_version = raised.version from raised where client_id = $1 returning 1)
       select pg_notify('tailgate_routes', $2) from done`,
      [queue.clientId, scope],
    );
    replica.take(await phone.next('patch'));
    expect(replica.value(`quarantine/${item.id}`)).toMatchObject({ state: 'dismissed' });
  });
});
