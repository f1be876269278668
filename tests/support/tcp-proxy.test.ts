import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { reservePort } from './reserved-port.ts';

/** Answers each byte with the same byte, in upper case. */
let echo: Server;
let proxy: TcpProxy;
const clients = new Set<Socket>();

beforeAll(async () => {
  echo = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => socket.write(bytes.toString().toUpperCase()));
  });
  const port = await reservePort();
  echo.listen(port, '127.0.0.1');
  await once(echo, 'listening');
  proxy = await startTcpProxy(port);
});

beforeEach(async () => {
  await proxy.accept();
  proxy.pass();
});

afterAll(async () => {
  for (const client of clients) client.destroy();
  echo.close();
  await once(echo, 'close');
});

async function open(): Promise<Socket> {
  const client = connect(proxy.port, '127.0.0.1').setEncoding('utf8');
  clients.add(client);
  client.on('error', () => undefined);
  await once(client, 'connect');
  return client;
}

/** For any end: `once` would reject on the reset before. */
function closed(client: Socket): Promise<void> {
  return new Promise((resolve) => client.once('close', () => resolve()));
}

/** Resolves with the received text as soon as it has `length` characters. */
function received(client: Socket, length: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const take = (piece: string) => {
      text += piece;
      if (text.length < length) return;
      client.off('data', take);
      resolve(text);
    };
    client.on('data', take);
  });
}

describe('a proxy with network faults', () => {
  test('passes both ways, and both ends', async () => {
    const client = await open();
    client.write('hello');
    expect(await received(client, 5)).toBe('HELLO');
    client.end();
    await closed(client);
  });

  test('cuts each time this many bytes have passed, as often as requested', async () => {
    const cuts = proxy.cutEvery(3, 2);
    const [first, second] = [await open(), await open()];
    const ends = [closed(first), closed(second)];
    first.write('ab');
    expect(await received(first, 2)).toBe('AB');
    second.write('c');
    await Promise.all(ends);
    const third = await open();
    const end = closed(third);
    third.write('def');
    await Promise.all([cuts, end]);
    const last = await open();
    last.write('ghij');
    expect(await received(last, 4)).toBe('GHIJ');
  });

  test('buffers the server’s bytes, shows them to the test, and releases them whole and in order', async () => {
    const client = await open();
    proxy.bufferDown();
    client.write('one ');
    await proxy.untilBufferedDown((waiting) => waiting.includes('ONE'));
    client.write('two');
    await proxy.untilBufferedDown((waiting) => waiting.toString() === 'ONE TWO');
    expect(client.bytesRead).toBe(0);
    const arrived = received(client, 7);
    proxy.releaseDown();
    expect(await arrived).toBe('ONE TWO');
  });

  test('buffers the client’s bytes', async () => {
    const client = await open();
    proxy.bufferUp();
    client.write('up');
    const arrived = received(client, 2);
    proxy.releaseUp();
    expect(await arrived).toBe('UP');
  });

  test('cuts links and accepts new ones', async () => {
    const client = await open();
    client.write('x');
    await received(client, 1);
    const gone = closed(client);
    proxy.cut();
    await gone;
    const next = await open();
    next.write('again');
    expect(await received(next, 5)).toBe('AGAIN');
  });

  test('refuses new connections while existing ones go on, until it accepts again', async () => {
    const client = await open();
    client.write('x');
    await received(client, 1);
    proxy.refuse();
    await expect(open()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    client.write('still here');
    expect(await received(client, 10)).toBe('STILL HERE');
    await proxy.accept();
    await open();
  });

  test('delays', async () => {
    const client = await open();
    proxy.delay(40);
    const sent = performance.now();
    client.write('late');
    await received(client, 4);
    // Timers may fire up to a millisecond early.
    expect(performance.now() - sent).toBeGreaterThan(78);
  });

  test('throttles', async () => {
    const client = await open();
    proxy.throttle(100_000);
    const sent = performance.now();
    client.write('x'.repeat(10_000));
    expect(await received(client, 10_000)).toBe('X'.repeat(10_000));
    expect(performance.now() - sent).toBeGreaterThan(100);
  });

  test('drops bytes without an error; a damaged link is cut when the fault ends', async () => {
    const client = await open();
    client.write('x');
    await received(client, 1);
    const other = await open();
    proxy.drop();
    client.write('into the void');
    const gone = closed(client);
    // The other link carries nothing meanwhile, so it is intact; its bytes show that the first one's were dropped.
    await new Promise((written) => client.write('!', written));
    await proxy.untilLossy();
    proxy.pass();
    await gone;
    expect(client.bytesRead).toBe(1);
    other.write('sound');
    expect(await received(other, 5)).toBe('SOUND');
  });

  test('the end of the server ends the link', async () => {
    const unconnected = await startTcpProxy(await reservePort());
    const client = connect(unconnected.port, '127.0.0.1');
    clients.add(client);
    client.on('error', () => undefined);
    await closed(client);
    expect(unconnected.links).toBe(0);
  });

  test('an address stays the same through it, except for the port', () => {
    expect(proxy.through('postgres://me:pw@db.example:5432/pod')).toBe(`postgres://me:pw@127.0.0.1:${proxy.port}/pod`);
    expect(proxy.through('http://127.0.0.1:3000/api/sync')).toBe(`http://127.0.0.1:${proxy.port}/api/sync`);
  });
});
