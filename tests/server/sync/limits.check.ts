import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { duplexPair } from 'node:stream';
import { routeScope } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { insertRoutes, plan } from '../../support/mirror.ts';
import { signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import { TestQueue } from '../../support/sealing.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

const key = { facility: 'F01', id: 'R1', week_end: '20261121' };
const scope = routeScope(key);

let node: SyncNode;
let driver: Signed;

beforeAll(async () => {
  node = await startSyncNode({ limits: { frame_bytes: 64 * 1024, congested_bytes: 64 * 1024 } });
  const stops = Array.from({ length: 30 }, (_, n) => plan(n + 1));
  await insertRoutes(node.database.pool, [{ ...key, weekEnd: key.week_end, drivers: ['1001'], stops }]);
  driver = await signUp(node.client, '1001');
});

async function signOn(queue = new TestQueue(), more: object = {}, url = node.socketUrl): Promise<Phone> {
  const phone = await Phone.connect(url, queue.clientId);
  await phone.signOn(driver, more);
  return phone;
}

const later = (ms: number): void => {
  node.clock.now = new Date(node.clock.now.getTime() + ms);
};

describe('bad frames', () => {
  test.each([
    ['no JSON', '{"type":', 'BAD_FRAME', ''],
    ['no object', '"ping"', 'BAD_FRAME', 'type'],
    ['no type', '{}', 'BAD_FRAME', 'type'],
    ['a field of a wrong type', '{"type":"ping","pending":"three"}', 'BAD_FRAME', 'pending'],
    ['no mutations', '{"type":"push","mutations":[]}', 'BAD_FRAME', 'mutations'],
    ['a mutation without id', '{"type":"push","mutations":[{"seq":1}]}', 'BAD_FRAME', 'mutations.0.id'],
    ['a range that ends before it begins', '{"type":"gone","from":2,"to":1,"reason":""}', 'BAD_FRAME', 'to'],
    ['too many mutations', JSON.stringify({ type: 'push', mutations: Array(257).fill(0) }), 'TOO_LARGE', 'mutations'],
    ['too many bytes', `{"type":"ping","x":"${'x'.repeat(65_536)}"}`, 'FRAME_TOO_LARGE', ''],
    ['a binary frame', randomBytes(8), 'BAD_FRAME', ''],
  ])(
    'the server answers %s with one error that names the field, and saves nothing',
    async (_name, frame, code, path) => {
      const phone = await signOn();
      phone.sendRaw(frame);
      const error = await phone.next('error');
      expect([error.code, error.details.map((detail) => detail.path)]).toEqual([code, [path]]);
      phone.send({ type: 'ping' });
      await phone.next('pong');
      const { rows } = await node.database.pool.query('select last_seq from client where client_id = $1', [
        phone.clientId,
      ]);
      expect(rows).toEqual([{ last_seq: 0 }]);
    },
  );

  test('repeated bad frames end the connection with the reason', async () => {
    const phone = await signOn();
    for (let i = 0; i < 3; i++) phone.sendRaw('{}');
    for (let i = 0; i < 3; i++) await phone.next('error');
    expect(await phone.untilClosed()).toEqual({ code: 4003, reason: '3 bad frames: BAD_FRAME' });
  });

  test('the server cuts a socket with a far too large frame before it reads the frame', async () => {
    const phone = await signOn();
    phone.sendRaw('x'.repeat(140_000));
    expect(await phone.untilClosed()).toMatchObject({ code: 1009 });
  });

  test('the server ignores unknown frames', async () => {
    const phone = await signOn();
    for (let i = 0; i < 5; i++) phone.send({ type: 'from_the_future', anything: i });
    phone.send({ type: 'ping', from_the_future: true });
    expect((await phone.next('pong')).server_time).toBe(node.clock.now.toISOString());
    expect(phone.frames).toEqual([]);
  });

  test('too many scopes', async () => {
    const phone = await signOn();
    const cursors = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`route:F01:X${n}:20261121`, null]));
    phone.send({ type: 'subscribe', cursors });
    expect(await phone.next('error')).toMatchObject({ code: 'TOO_LARGE', details: [{ path: 'cursors' }] });
  });
});

describe('back-pressure', () => {
  test('pushes above the limit in flight wait unread, and the server answers all in order', async () => {
    const queue = new TestQueue();
    const phone = await signOn(queue);
    const pushes = Array.from({ length: 60 }, (_, n) =>
      queue.seal('stop.update', {
        route: key,
        stop: { id: (n % 30) + 1, updates: { driver_comments: `push ${n} ${'x'.repeat(1_500)}` } },
      }),
    );
    for (const item of pushes) phone.push(item);
    for (const { seq } of pushes) expect((await phone.next('ack')).results).toMatchObject([{ seq, result: 'applied' }]);
  });

  test('a phone that does not read misses no state: the backlog comes as one patch', async () => {
    const reader = await signOn(new TestQueue(), { cursors: { [scope]: null } });
    const { version, epoch } = await reader.next('snapshot');
    reader.send({ type: 'subscribe', cursors: { [scope]: { epoch, version } } });
    await reader.next('patch');
    reader.sleep();
    const { last, pushes } = await writeMuch();
    reader.wake();
    let patches = 0;
    for (let at = version; at < last; patches++) {
      const patch = await reader.next('patch');
      expect(patch.from).toBe(at);
      at = patch.to;
    }
    expect(patches).toBeLessThan(pushes);
  });

  /** Requests without end and reads nothing, over a connection with hardly any buffer. */
  function askWithoutReading(socket: WebSocket): void {
    socket.pause();
    for (let n = 0; n < 3_000; n++) socket.send('{"type":"ping"}');
  }
  const someLine = (is: (socket: WebSocket) => boolean): boolean => [...node.app.websocketServer.clients].some(is);
  async function shortLine(): Promise<WebSocket> {
    const [near, far] = duplexPair();
    node.app.server.emit('connection', far);
    const socket = new WebSocket(node.socketUrl, { createConnection: () => near });
    await once(socket, 'open');
    return socket;
  }

  test('the server stops reading from a phone that reads no answers, and the phone misses none', async () => {
    const line = await shortLine();
    const phone = new Phone(line);
    await phone.signOn(driver);
    askWithoutReading(line);
    await expect.poll(() => someLine(({ isPaused }) => isPaused)).toBe(true);
    phone.wake();
    for (let n = 0; n < 3_000; n++) await phone.next('pong');
  });

  test('the server closes such a connection before authentication', async () => {
    const line = await shortLine();
    askWithoutReading(line);
    await expect.poll(() => someLine(({ readyState }) => readyState === WebSocket.CLOSING)).toBe(true);
    line.terminate();
  });
});

/** Writes until more than the system's socket buffers (some 10 MB) is pending for the route's followers. */
async function writeMuch(): Promise<{ last: number; pushes: number }> {
  const queue = new TestQueue();
  const writer = await signOn(queue);
  later(1_000); // Later than the other tests' edits: of two edits of one moment only one changes anything.
  const comment = '漢'.repeat(1_900);
  let last = 0;
  let pushes = 0;
  for (let bytes = 0; bytes < 14_000_000; pushes++) {
    const items = Array.from({ length: 9 }, (_, n) =>
      queue.seal(
        'stop.update',
        { route: key, stop: { id: ((9 * pushes + n) % 30) + 1, updates: { driver_comments: `${pushes} ${comment}` } } },
        node.clock.now,
      ),
    );
    writer.push(...items);
    last = (await writer.next('ack')).results.at(-1)?.version ?? 0;
    bytes += 9 * 3 * comment.length;
  }
  writer.terminate();
  return { last, pushes };
}

/** Resolves as soon as the node has this many connections of a client. */
async function untilClients(clientId: string, count: number): Promise<void> {
  const mine = () => node.hub.connectionsOf(clientId);
  while (mine() !== count) await new Promise((turn) => setImmediate(turn));
}

describe('idle connections', () => {
  test('the server pings an idle connection, and closes it after three times that period', async () => {
    const phone = await signOn();
    later(5_500);
    await phone.next('ping');
    phone.send({ type: 'pong' });
    phone.send({ type: 'ping' });
    await phone.next('pong');
    later(5_500);
    await phone.next('ping');
    expect(phone.closed).toBeUndefined();
    later(10_000);
    expect(await phone.untilClosed()).toEqual({ code: 4005, reason: 'nothing was heard for 16 s' });
  });

  test('the server detects a half-open socket: the phone is gone without a close', async () => {
    const proxy = await startTcpProxy(Number(new URL(node.client.url).port));
    const phone = await signOn(new TestQueue(), {}, proxy.through(node.socketUrl));
    expect(node.hub.connectionsOf(phone.clientId)).toBe(1);
    proxy.drop();
    later(16_000);
    await untilClients(phone.clientId, 0);
    phone.terminate();
    await proxy.stop();
  });
});

describe('the outbox of each phone', () => {
  test('is recorded for the office, from hello and ping, in one statement', async () => {
    const phone = await signOn(new TestQueue(), { pending: 7, oldest_pending_at: '2026-11-20T10:00:00.000Z' });
    phone.send({ type: 'ping', pending: 3, oldest_pending_at: 'never mind' });
    await phone.next('pong');
    const read = () =>
      node.database.pool.query<{ pending: number }>(
        'select pending, oldest_pending_at, device, app from client where client_id = $1',
        [phone.clientId],
      );
    let rows = (await read()).rows;
    while (rows[0]?.pending !== 3) rows = (await read()).rows;
    expect(rows).toEqual([{ pending: 3, oldest_pending_at: null, device: 'test phone', app: 'test/1' }]);
  });
});
