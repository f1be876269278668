import { pushAnswer } from '@tailgate/sync-protocol';
import type { ClientOptions } from '@tailgate/client-sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { HttpSocket } from '../../client-sdk/src/connection/http-socket.ts';
import { insertRoutes, plan } from '../support/mirror.ts';
import { password, signUp } from '../support/people.ts';
import { Device, until } from '../support/sdk-device.ts';
import { TestQueue } from '../support/sealing.ts';
import type { SyncNode } from '../support/sync-node.ts';
import { startSyncNode } from '../support/sync-node.ts';
import { WebProxy } from '../support/web-proxy.ts';

const key = { facility: 'F01', id: 'R1', week_end: '20261121' };
const timing = { retryBaseMs: 20, retryCapMs: 200, openMs: 2_000, pingMs: 50, answerMs: 2_000 };
const comment = (id: number, text: string) => ({ id, updates: { driver_comments: text } });

let node: SyncNode;
/** The other driver's queue. Its key stays valid after the sign-out of that driver on this phone. */
const others = new TestQueue();
let othersKey: string;

async function pushOther(mutations: readonly object[], credentials: object) {
  const response = await fetch(`${node.client.url}/api/sync/push`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', employee_id: '1002', ...credentials },
    body: JSON.stringify({ client_id: others.clientId, mutations }),
  });
  return pushAnswer.parse(await response.json());
}

beforeAll(async () => {
  node = await startSyncNode();
  await insertRoutes(node.database.pool, [
    { ...key, weekEnd: key.week_end, drivers: ['1001', '1002'], stops: [plan(1), plan(2)] },
  ]);
  await signUp(node.client, '1001');
  const { api_token } = await signUp(node.client, '1002');
  othersKey = (await pushOther([], { api_token })).queue_key ?? '';
});

/** A driver behind a proxy that blocks every socket. */
async function blockedDriver(socketAgainMs: number, options: Partial<ClientOptions> = {}) {
  const proxy = await WebProxy.start(node.client.url, { blocksSockets: true });
  const device = new Device(proxy.url, { timing: { ...timing, socketAgainMs }, ...options });
  const client = await device.start();
  expect(await client.signIn({ employeeId: '1001', password, confirmLogin: true })).toMatchObject({
    kind: 'signed_in',
  });
  return { proxy, device, client };
}

describe('a network that blocks sockets', () => {
  test('syncs over plain HTTP: the route arrives, changes go out, and changes of others come in', async () => {
    const { client } = await blockedDriver(60_000);
    await until(client.route(key), (route) => route?.stops.length === 2);
    await client.updateStop(key, comment(1, 'over HTTP')).accepted;
    expect(node.hub.connectionsOf()).toBe(0);
    const stop = comment(2, 'from the other driver');
    await pushOther([others.seal('stop.update', { route: key, stop }, new Date())], { queue_key: othersKey });
    await until(client.stop(2, key), (seen) => seen?.updates?.driver_comments === 'from the other driver');
    expect(client.status.current).toMatchObject({ connection: 'online', pending: {} });
  });

  test('a platform without sockets, such as under a page’s own policy, syncs over plain HTTP, too', async () => {
    let attempts = 0;
    const tested = Promise.withResolvers<void>();
    const refuse = (url: string): never => {
      // The first two attempts connect. The third one tests whether sockets pass again.
      if (++attempts === 3) tested.resolve();
      throw new DOMException(`refused to connect to ${url}`, 'SecurityError');
    };
    class Forbidden extends WebSocket {
      constructor(url: string) {
        super(refuse(url));
      }
    }
    const device = new Device(node.client.url, { timing: { ...timing, socketAgainMs: 1 }, WebSocket: Forbidden });
    const client = await device.start();
    await client.signIn({ employeeId: '1001', password, confirmLogin: true });
    await client.updateStop(key, comment(1, 'without any socket')).accepted;
    await tested.promise;
    await client.updateStop(key, comment(2, 'after the test')).accepted;
    expect(client.status.current).toMatchObject({ connection: 'online', pending: {} });
  });

  test("edit times are correct regardless of the time since the connection's hello", async () => {
    const elapsed = { ms: 0 };
    const [start, bootedAt] = [node.clock.now.getTime(), 1_000];
    // The phone's clock is a day ahead. All clocks stop, or advance together.
    const clock = {
      now: () => start + 86_400_000 + elapsed.ms,
      monotonic: () => bootedAt + elapsed.ms,
      after: (ms: number, work: () => void) => {
        const timer = setTimeout(work, ms);
        return () => clearTimeout(timer);
      },
    };
    const elapse = (ms: number): void => {
      elapsed.ms += ms;
      node.clock.now = new Date(start + elapsed.ms);
    };
    const { client } = await blockedDriver(60_000, { clock });
    await until(client.status, ({ connection }) => connection === 'online');
    elapse(600_000);
    const receipt = client.updateStop(key, comment(1, 'ten minutes later'));
    elapse(1_000);
    await receipt.accepted;
    const { rows } = await node.database.pool.query<{ edit_time: Date }>('select edit_time from ledger where id = $1', [
      receipt.id,
    ]);
    expect(rows.map(({ edit_time }) => edit_time.getTime() - start)).toEqual([600_000]);
  });

  test.each([
    { pulled: '1', first: 'message' },
    { pulled: '2', first: 'close' },
  ])('a welcome of epoch 1 and a first pull of epoch $pulled: $first', async ({ pulled, first }) => {
    const welcome = { epoch: '1' };
    const pull = { epoch: pulled, frames: [], routes: [] };
    const socket = new HttpSocket('https://tailgate.example/sync', async (url) => {
      const { pathname } = new URL(new Request(url).url);
      return Response.json(pathname === '/sync/push' ? welcome : pull);
    });
    // A restored server has none of the state in a welcome from before.
    const event = new Promise<string>((resolve) => {
      for (const type of ['message', 'close']) socket.addEventListener(type, () => resolve(type));
    });
    socket.send(JSON.stringify({ type: 'hello', employee_id: '1001', client_id: 'a', cursors: {} }));
    expect(await event).toBe(first);
  });

  test('the client returns to the socket as soon as one passes', async () => {
    const { client, proxy } = await blockedDriver(20);
    await client.updateStop(key, comment(1, 'still over HTTP')).accepted;
    expect(node.hub.connectionsOf()).toBe(0);
    proxy.blocksSockets = false;
    await until(client.status, () => node.hub.connectionsOf() > 0);
    await client.updateStop(key, comment(1, 'over the socket')).accepted;
    expect(client.status.current.connection).toBe('online');
  });

  test('a session that ends there ends on the phone, and the queue drains by its key', async () => {
    const { client } = await blockedDriver(60_000);
    await until(client.status, ({ connection }) => connection === 'online');
    const ended = new Promise((resolve) => client.on('session', resolve));
    await node.database.pool.query(`update session set revoked_at = now() where employee = '1001'`);
    await node.database.pool.query(`select pg_notify('tailgate_sessions', '1001')`);
    await ended;
    await client.updateStop(key, comment(2, 'after the end')).accepted;
    expect(client.driver.current).toMatchObject({ signedIn: false });
  });
});
