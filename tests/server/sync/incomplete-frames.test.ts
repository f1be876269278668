import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { duplexPair } from 'node:stream';
import { currentProtocol } from '@tailgate/sync-protocol';
import { beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { atFileEnd } from '../../support/file-end.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';

const bytesOfAll = 512 * 1024;
const maxFrameBytes = 64 * 1024;
const half = 40 * 1024;

let node: SyncNode;
let driver: Signed;

beforeAll(async () => {
  node = await startSyncNode({ limits: { unauthenticated_bytes: bytesOfAll } });
  await insertEmployees(node.database.pool, ['1001']);
  driver = await signUp(node.client, '1001');
});

/** A socket over a connection whose bytes the test writes itself. */
async function lineOf(connectLine: () => Duplex = toTheNode): Promise<{ socket: WebSocket; line: Duplex }> {
  const line = connectLine();
  const socket = new WebSocket(node.socketUrl, { createConnection: () => line });
  socket.on('error', () => undefined);
  atFileEnd(async () => socket.terminate());
  await once(socket, 'open');
  return { socket, line };
}
const toTheNode = (): Duplex => connect(Number(new URL(node.client.url).port), '127.0.0.1');
/** Each write is one TCP segment. */
function pieceByPiece(): Duplex {
  const [near, far] = duplexPair();
  node.app.server.emit('connection', far);
  return near;
}

/** The head of a text frame of this length, masked by zeros. */
function headOf(length: number): Buffer {
  const head = Buffer.alloc(14);
  head.set([0x81, 0xff]);
  head.writeUInt32BE(length, 6);
  return head;
}
const incompleteFrame = (length: number, sent: number): Buffer =>
  Buffer.concat([headOf(length), Buffer.alloc(sent, 'x')]);

const open = (): number => node.app.websocketServer.clients.size;
const endOf = (socket: WebSocket): Promise<[number, string]> =>
  new Promise((resolve) => {
    socket.once('close', (code, reason) => resolve([code, reason.toString()]));
  });

test('unfinished frames before hello share one memory bound, and phones connect meanwhile', async () => {
  const connections = await Promise.all(Array.from({ length: 40 }, () => lineOf()));
  for (const { line } of connections) line.write(incompleteFrame(2 * half, half));
  const waitForCapacity = Math.floor(bytesOfAll / half);
  await expect.poll(open).toBeLessThanOrEqual(waitForCapacity);
  const phone = await Phone.connect(node.socketUrl);
  await phone.signOn(driver);
  phone.terminate();
  for (const { socket } of connections) socket.terminate();
  await expect.poll(open).toBe(0);

  // Their memory is free again.
  const later = await Promise.all(Array.from({ length: waitForCapacity - 1 }, () => lineOf()));
  for (const { line } of later) line.write(incompleteFrame(2 * half, half));
  const last = await Phone.connect(node.socketUrl);
  await last.signOn(driver);
  expect(later.filter(({ socket }) => socket.readyState === WebSocket.OPEN)).toHaveLength(waitForCapacity - 1);
  for (const { socket } of later) socket.terminate();
});

test('before welcome the frame limit is that of a hello', async () => {
  const { socket, line } = await lineOf();
  line.write(incompleteFrame(2_000_000, 200_000));
  expect(await endOf(socket)).toEqual([1009, `before welcome a frame has at most ${maxFrameBytes} bytes`]);
});

test('fragments of a frame count together', async () => {
  const { socket } = await lineOf();
  for (let n = 0; n < 8; n++) socket.send('x'.repeat(20_000), { fin: false });
  expect((await endOf(socket))[0]).toBe(1009);
});

test('single bytes count as much memory as they use', async () => {
  const { socket, line } = await lineOf(pieceByPiece);
  const ended = endOf(socket);
  line.write(headOf(60_000));
  for (let n = 0; n < 400; n++) {
    line.write('x');
    await new Promise((turn) => setImmediate(turn));
  }
  expect((await ended)[0]).toBe(1009);
});

test('the limit counts a chunk that ends a frame and begins the next, and does not disconnect welcomed phones', async () => {
  const phones: Phone[] = [];
  for (let n = 0; n < 3; n++) {
    const phone = await Phone.connect(node.socketUrl);
    await phone.signOn(driver);
    phones.push(phone);
  }
  const others = open();
  const shortFrame = Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x7b, 0x7d]);
  const connections = await Promise.all(Array.from({ length: 40 }, () => lineOf()));
  for (const { line } of connections) line.write(Buffer.concat([shortFrame, incompleteFrame(2 * half, half)]));
  await expect.poll(open).toBeLessThanOrEqual(others + Math.floor(bytesOfAll / half));
  for (const phone of phones) {
    phone.send({ type: 'ping' });
    await phone.next('pong');
  }
  for (const { socket } of connections) socket.terminate();
  await expect.poll(open).toBe(others);
});

test('the server cuts a frame of too many fragments', async () => {
  const { socket, line } = await lineOf();
  await new Phone(socket).signOn(driver);
  const empty = Buffer.from([0x00, 0x80, 0, 0, 0, 0]);
  line.write(Buffer.concat([Buffer.from([0x01, 0x80, 0, 0, 0, 0]), ...Array<Buffer>(2_000).fill(empty)]));
  expect((await endOf(socket))[0]).toBe(1008);
});

test('the server accepts a fragmented hello of many scopes, and larger frames after it', async () => {
  const { socket } = await lineOf();
  const phone = new Phone(socket);
  const cursors = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [`route:F01:X${n}:20261121`.padEnd(120, 'x'), { epoch: '1.1', version: 1 }]),
  );
  const hello = JSON.stringify({
    type: 'hello',
    protocol: currentProtocol,
    client_id: phone.clientId,
    device: 'test phone',
    sdk: 'test/1',
    app: 'test/1',
    clock: { now: node.clock.now.toISOString(), boot_id: 'boot', monotonic_ms: 1 },
    ...driver,
    cursors,
  });
  for (let at = 0; at < hello.length; at += 1_000) {
    socket.send(hello.slice(at, at + 1_000), { fin: at + 1_000 >= hello.length });
    await new Promise((turn) => setImmediate(turn));
  }
  await phone.next('welcome');
  for (let n = 0; n < 3; n++) {
    socket.send(`{"type":"ping","x":"${'x'.repeat(900_000)}"}`);
    await phone.next('pong');
  }
  expect(phone.closed).toBeUndefined();
});
