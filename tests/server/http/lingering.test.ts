import { once } from 'node:events';
import type { Socket } from 'node:net';
import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { failure } from '../../support/envelope.ts';
import { signUp, insertEmployees } from '../../support/people.ts';
import { connectRaw, writePastTheAnswer } from '../../support/raw-client.ts';
import type { Signed } from '../../support/rest-client.ts';
import { startRestServer } from '../../support/rest-server.ts';
import { startSyncNode, type SyncNode } from '../../support/sync-node.ts';
import { TusPhone } from '../../support/tus-phone.ts';

const mebibyte = 1024 * 1024;
const bounds = { bytes: 16 * mebibyte, ms: 30_000 };

let node: SyncNode;
let anna: Signed;
let upload: string;

beforeAll(async () => {
  node = await startSyncNode({
    linger: bounds,
    maxJsonMb: 0.25,
    unauthenticatedBytes: 200_000,
    uploadLimits: { fileBytes: mebibyte, requestBytes: 100 * mebibyte, hourBytes: 40 * mebibyte },
  });
  await insertEmployees(node.database.pool, ['1001']);
  anna = await signUp(node.client, '1001');
  const created = await new TusPhone(node.client.url, { ...anna }).create(500_000);
  upload = new URL(created.headers.get('location') ?? '', created.url).pathname;
});

const last = ['host: x', 'connection: close'];
const json = 'content-type: application/json';
const form = 'content-type: multipart/form-data; boundary=b';
const long = 'content-length: 50000000';
const chunked = 'transfer-encoding: chunked';
const report = 'POST /api/report/load-condition HTTP/1.1';
const upgrade = ['connection: upgrade', 'upgrade: websocket', 'sec-websocket-version: 13'];
const handshake = [...upgrade, 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='];
const signed = () => [`employee_id: ${anna.employee_id}`, `api_token: ${anna.api_token}`];
const tus = () => [...signed(), 'tus-resumable: 1.0.0', 'content-type: application/offset+octet-stream'];
const chunk = (length: number) => `5000000\r\n${'x'.repeat(length)}`;
const file = 'Content-Disposition: form-data; name="files"; filename="a.bin"';

interface Refusal {
  readonly lines: readonly string[];
  readonly first?: string;
}

describe('RFC 9112 §9.6: a client that writes on past a refusal reads all of it and sees an orderly end', () => {
  test.each<[string, number, () => Refusal]>([
    ['a body that is too long by its length', 413, () => ({ lines: [report, json, long] })],
    [
      'a driver’s body that is too long, in chunks',
      413,
      () => ({ lines: ['PUT /api/route/stop HTTP/1.1', json, chunked, ...signed()], first: chunk(300_000) }),
    ],
    [
      'too many long bodies without authentication',
      503,
      () => ({ lines: [report, json, 'content-length: 250000'], first: 'x'.repeat(220_000) }),
    ],
    ['no credentials', 401, () => ({ lines: ['PUT /api/route/stop HTTP/1.1', json, long] })],
    [
      'a body that is too long for an unknown address',
      413,
      () => ({ lines: ['POST /api/nothing HTTP/1.1', json, long] }),
    ],
    ['an unknown address', 404, () => ({ lines: ['GET /api/nothing HTTP/1.1', json, long] })],
    ['a malformed address', 400, () => ({ lines: ['POST /api/%zz HTTP/1.1', json, long] })],
    ['another type', 415, () => ({ lines: [report, 'content-type: text/plain', long] })],
    ['a compressed body', 415, () => ({ lines: [report, json, 'content-encoding: gzip', 'content-length: 200000'] })],
    ['an upload that is not a form', 415, () => ({ lines: ['POST /api/v20/assets HTTP/1.1', json, long] })],
    [
      'an upload past the largest request',
      413,
      () => ({ lines: ['POST /api/v20/assets HTTP/1.1', form, 'content-length: 500000000'] }),
    ],
    ['an upload past the quota', 429, () => ({ lines: ['POST /api/v20/assets HTTP/1.1', form, long] })],
    [
      'an upload with too large a file',
      413,
      () => ({
        lines: ['POST /api/v20/assets HTTP/1.1', form, chunked],
        first: `5000000\r\n--b\r\n${file}\r\n\r\n${'x'.repeat(2 * mebibyte)}`,
      }),
    ],
    [
      'a form without a boundary',
      400,
      () => ({ lines: ['POST /api/v20/assets HTTP/1.1', 'content-type: multipart/form-data', chunked] }),
    ],
    ['a push without credentials', 401, () => ({ lines: ['POST /api/sync/push HTTP/1.1', json, long] })],
    [
      'a push that is too long',
      413,
      () => ({ lines: ['POST /api/sync/push HTTP/1.1', json, chunked, ...signed()], first: chunk(2 * mebibyte) }),
    ],
    [
      'a resumable upload without credentials',
      401,
      () => ({ lines: ['PATCH /api/sync/uploads/0123456789ABCDEF HTTP/1.1', long] }),
    ],
    [
      'an unknown resumable upload',
      404,
      () => ({ lines: ['PATCH /api/sync/uploads/0123456789ABCDEF HTTP/1.1', 'upload-offset: 0', chunked, ...tus()] }),
    ],
    [
      'a resumable upload at another offset',
      409,
      () => ({ lines: [`PATCH ${upload} HTTP/1.1`, 'upload-offset: 7', chunked, ...tus()] }),
    ],
    [
      'more than a resumable upload announced',
      413,
      () => ({ lines: [`PATCH ${upload} HTTP/1.1`, 'upload-offset: 0', long, ...tus()] }),
    ],
    [
      'more than a resumable upload announced, in chunks',
      413,
      () => ({ lines: [`PATCH ${upload} HTTP/1.1`, 'upload-offset: 0', chunked, ...tus()], first: chunk(600_000) }),
    ],
    [
      'a resumable upload above the largest file',
      413,
      () => ({
        lines: ['POST /api/sync/uploads HTTP/1.1', 'upload-length: 2000000', long, ...tus()],
        first: 'x'.repeat(131_072),
      }),
    ],
    ['an unknown method', 400, () => ({ lines: ['FOO /api/health HTTP/1.1'] })],
    ['too many headers', 431, () => ({ lines: [report, ...Array.from({ length: 3_000 }, () => 'x: 1')] })],
    ['a chunk without a size', 400, () => ({ lines: [report, json, chunked], first: 'zz\r\n' })],
    ['an upgrade of an unknown address', 404, () => ({ lines: ['GET /api/nothing HTTP/1.1', long, ...upgrade] })],
    ['an upgrade with a body', 413, () => ({ lines: [report, json, long, ...handshake] })],
    ['an upgrade without a key', 404, () => ({ lines: ['GET /api/sync HTTP/1.1', long, ...upgrade] })],
  ])('%s', async (_, status, refusal) => {
    const { lines, first } = refusal();
    const request = { lines: [...lines, ...last], ...(first !== undefined && { first }) };
    const { answer, isEnded, error } = await writePastTheAnswer(node.client.url, request);
    expect({ error, isEnded }).toEqual({ error: undefined, isEnded: true });
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(Number(/^content-length: (\d+)$/im.exec(head)?.[1])).toBe(body.length);
  });
});

/** The number of bytes that the server has read of the next connection when it closes. */
function readOfTheNext(server: SyncNode): Promise<number> {
  return new Promise((resolve) => {
    server.app.server.once('connection', (socket: Socket) => socket.once('close', () => resolve(socket.bytesRead)));
  });
}

describe('reading after an answer is limited', () => {
  test.each([
    ['closes', last],
    ['stays open', ['host: x']],
  ])('in bytes, where the connection %s', async (_, lines) => {
    const read = readOfTheNext(node);
    const client = connectRaw(node.client.url);
    client.socket.write([report, json, chunked, ...lines, '', ''].join('\r\n'));
    // An unauthenticated body above its own bound, then without end.
    const piece = `f4240\r\n${'x'.repeat(1_000_000)}\r\n`;
    while (!client.socket.destroyed) await client.write(piece);
    expect((await client.ending).answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(await read).toBeGreaterThan(bounds.bytes);
    expect(await read).toBeLessThan(bounds.bytes + 2_000_000);
  });

  test('in time', async () => {
    const { client: rest } = await startRestServer({ linger: { ...bounds, ms: 300 } });
    const client = connectRaw(rest.url);
    client.socket.write([report, json, long, ...last, '', ''].join('\r\n'));
    const trickle = setInterval(() => client.socket.write('x'), 20);
    const { answer, isEnded } = await client.ending.finally(() => clearInterval(trickle));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(isEnded).toBe(true);
  });

  test.each([
    ['closes', last, 'end'],
    ['stays open', ['host: x'], 'data'],
  ])('in time, while the server stops, where the connection %s', async (_, lines, answered) => {
    const server = await startRestServer({ linger: bounds });
    const client = connectRaw(server.client.url);
    client.socket.write([report, json, long, ...lines, '', ''].join('\r\n'));
    await new Promise((resolve) => client.socket.once(answered, resolve));
    const trickle = setInterval(() => client.socket.write('x'), 20);
    await server.app.close();
    const { answer } = await client.ending.finally(() => clearInterval(trickle));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe('RFC 9110 §7.8: an unsupported upgrade is an ordinary request, the last of its connection', () => {
  const h2c = ['connection: upgrade, http2-settings', 'upgrade: h2c', 'http2-settings: AAMAAABkAAQAAP__'];
  test.each([
    ['a handshake of an unknown address', 404, '/api/nothing', ['host: x', ...handshake]],
    ['a handshake of an address without sockets', 200, '/api/health', ['host: x', ...handshake]],
    ['a handshake below the channel', 404, '/api/sync/nothing', ['host: x', ...handshake]],
    ['a handshake of a malformed address', 400, '/api/%zz', ['host: x', ...handshake]],
    ['a handshake with a malformed parameter', 400, '/api/sync?a=%zz', ['host: x', ...handshake]],
    ['a handshake without a host', 400, '/api/sync', handshake],
    ['an upgrade to another protocol', 200, '/api/health', ['host: x', ...h2c]],
  ])('%s', async (_, status, path, headers) => {
    const lines = [`GET ${path} HTTP/1.1`, ...headers];
    const { answer, isEnded, error } = await writePastTheAnswer(node.client.url, { lines });
    expect({ error, isEnded }).toEqual({ error: undefined, isEnded: true });
    expect(answer.match(/^(HTTP\/1\.1 \d+|connection: .*(?=\r))/gim)).toEqual([
      `HTTP/1.1 ${status}`,
      'Connection: close',
    ]);
  });

  test.each(['/api/sync', '/api/sync/', '/api/sync?a=%20b', 'http://x/api/sync'])('but %s opens', async (path) => {
    const client = connectRaw(node.client.url);
    client.socket.write([`GET ${path} HTTP/1.1`, 'host: x', ...handshake, '', ''].join('\r\n'));
    await once(client.socket, 'data');
    client.socket.destroy();
    expect((await client.ending).answer).toMatch(/^HTTP\/1\.1 101 /);
  });
});

test('a connection without `close` serves the next request after the refused body', async () => {
  const client = connectRaw(node.client.url);
  client.socket.write([report, json, 'content-length: 3000000', 'host: x', '', ''].join('\r\n'));
  await new Promise((resolve) => client.socket.once('data', resolve));
  await client.write(Buffer.alloc(3_000_000, 'x'));
  client.socket.write(['GET /api/health HTTP/1.1', ...last, '', ''].join('\r\n'));
  client.socket.end();
  const { answer, error } = await client.ending;
  expect(error).toBeUndefined();
  const [refused = '', healthy = ''] = answer.split(/(?=HTTP\/1\.1 200 )/);
  expect(failure.parse(JSON.parse(refused.split('\r\n\r\n')[1] ?? '')).error.code).toBe('TOO_LARGE');
  expect(healthy).toContain(operations.health.message);
});

describe('a refused file of a resumable upload leaves its connection to the next one', () => {
  const create = (length: number, body: number) =>
    [
      'POST /api/sync/uploads HTTP/1.1',
      ...['host: x', ...tus(), `upload-length: ${length}`, `content-length: ${body}`, '', ''],
    ].join('\r\n');

  test.each([0, 16_384, 131_072, mebibyte])('of whose body %i bytes come before the answer', async (early) => {
    const client = connectRaw(node.client.url);
    client.socket.write(create(mebibyte + 1, mebibyte));
    if (early > 0) client.socket.write(Buffer.alloc(early, 'x'));
    await once(client.socket, 'data');
    await client.write(Buffer.alloc(mebibyte - early, 'x'));
    client.socket.write(create(10_000, 10_000));
    client.socket.write(Buffer.alloc(10_000, 'y'));
    client.socket.write(['GET /api/health HTTP/1.1', ...last, '', ''].join('\r\n'));
    // The server reads no further request of a client that has closed its direction.
    await once(client.socket, 'end');
    client.socket.end();
    const { answer } = await client.ending;
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 201', 'HTTP/1.1 200']);
  });
});
