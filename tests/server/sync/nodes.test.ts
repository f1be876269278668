import { operations, routeScope } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { createDatabase } from '../../support/postgres.ts';
import type { Signed } from '../../support/rest-client.ts';
import { TestQueue } from '../../support/sealing.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

let database: TestDatabase;
/** The link between node B and the database: its statements, and its LISTEN session. */
let network: TcpProxy;
let a: SyncNode;
let b: SyncNode;
let anna: Signed;
let bert: Signed;
let carol: Signed;
let routes = 0;

beforeAll(async () => {
  database = await createDatabase();
  network = await startTcpProxy(Number(new URL(database.url).port));
  const quiet = { limits: { sweep_ms: 60_000 } };
  a = await startSyncNode({ ...quiet, database });
  const through = network.through(database.url);
  b = await startSyncNode({ ...quiet, database, databaseUrl: through, listenUrl: through });
  await newRoute();
  anna = await signUp(a.client, '1001');
  bert = await signUp(a.client, '1002');
  await insertEmployees(database.pool, ['1003']);
  carol = await signUp(a.client, '1003');
});

async function newRoute() {
  const key = { facility: 'F01', id: `R${++routes}`, week_end: '20261121' };
  await insertRoutes(database.pool, [
    { ...key, weekEnd: key.week_end, drivers: ['1001', '1002'], stops: [plan(1), plan(2), plan(999, 0)] },
  ]);
  return { key, scope: routeScope(key), cursors: { [routeScope(key)]: { epoch: '1.1', version: 1 } } };
}

const delivered = (stop: number, comment = '') => ({ id: stop, updates: { status: 'D', driver_comments: comment } });

async function phoneAt(node: SyncNode, who: Signed, cursors = {}, queue = new TestQueue()) {
  const phone = await Phone.connect(node.socketUrl, queue.clientId);
  await phone.signOn(who, { cursors });
  return { phone, queue };
}

describe('two nodes on one database', () => {
  test('a push to one node arrives on the other, once and in order, both ways', async () => {
    const { key, cursors } = await newRoute();
    const [{ phone: left, queue: leftQueue }, { phone: right, queue: rightQueue }] = await Promise.all([
      phoneAt(a, anna, cursors),
      phoneAt(b, bert, cursors),
    ]);
    await Promise.all([left.next('patch'), right.next('patch')]);
    for (let i = 0; i < 10; i++) {
      left.push(leftQueue.seal('stop.update', { route: key, stop: delivered(1, `left ${i}`) }));
      right.push(rightQueue.seal('stop.update', { route: key, stop: delivered(2, `right ${i}`) }));
    }
    for (const phone of [left, right]) {
      for (let at = 1; at < 21;) {
        const patch = await phone.next('patch');
        expect(patch.from).toBe(at);
        expect(patch.to).toBeGreaterThan(at);
        at = patch.to;
      }
    }
  });

  test('a close by one driver on one node reaches the other driver’s list on the other node', async () => {
    const { key, scope } = await newRoute();
    const { phone: left, queue } = await phoneAt(a, anna);
    const { phone: right } = await phoneAt(b, bert);
    left.push(queue.seal('stop.update', { route: key, stop: { ...delivered(999), arrived: true } }));
    const { routes: listed } = await right.next('routes');
    expect(listed.filter((listedRoute) => listedRoute.scope === scope && listedRoute.status === 'O')).toEqual([]);
  });

  test('the end of a session on one node is sent on the other', async () => {
    const { phone } = await phoneAt(b, carol);
    await a.client.take(operations.signOut, { as: carol });
    expect(await phone.next('session')).toMatchObject({ state: 'revoked', reason: 'signed_out' });
  });
});

describe('a node that loses the database', () => {
  test('keeps its sockets, sends no false answer and recovers automatically', async () => {
    const { key, cursors } = await newRoute();
    const { phone, queue } = await phoneAt(b, bert, cursors);
    await phone.next('patch');
    const item = queue.seal('stop.update', { route: key, stop: delivered(1) });
    network.refuse();
    network.cut();
    phone.push(item);
    expect((await phone.next('error')).code).toBe('DATABASE_UNAVAILABLE');
    const late = await Phone.connect(b.socketUrl);
    late.hello(bert);
    const reject = await late.next('reject');
    expect(reject.code).toBe('DATABASE_UNAVAILABLE');
    expect(reject.retry_after_ms).toBeGreaterThanOrEqual(1_000);
    phone.send({ type: 'ping' });
    await phone.next('pong');

    await network.accept();
    expect(await untilAcknowledged(phone, item)).toBe('applied');
    expect(await phone.next('patch')).toMatchObject({ from: 1, to: 2 });
  });

  test('reads the changes whose notifications it missed', async () => {
    const { key, scope, cursors } = await newRoute();
    const { phone } = await phoneAt(b, bert, cursors);
    await phone.next('patch');
    network.refuse();
    network.cut();
    const { phone: other, queue } = await phoneAt(a, bert);
    other.push(queue.seal('stop.update', { route: key, stop: delivered(2) }));
    await other.next('ack');
    await network.accept();
    expect(await phone.next('patch')).toMatchObject({ scope, from: 1, to: 2, docs: [{ key: 'result/2' }] });
  });
});

/** Sends an item until it is answered, as every client does. */
async function untilAcknowledged(phone: Phone, item: object): Promise<string | undefined> {
  for (;;) {
    phone.push(item);
    const answer = await phone.either('ack', 'error');
    if (answer.type === 'ack') return answer.results[0]?.result;
  }
}
