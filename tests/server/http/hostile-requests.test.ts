import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { failure } from '../../support/envelope.ts';
import { insertEmployees } from '../../support/people.ts';
import { connectRaw } from '../../support/raw-client.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';

let node: SyncNode;

beforeAll(async () => {
  node = await startSyncNode({ timeouts: { headersMs: 200, requestMs: 400, checkMs: 50 }, maxJsonMb: 1 });
  await insertEmployees(node.database.pool, ['1001']);
});

/** The server's whole answer to these bytes, until it closes. */
async function speak(...lines: string[]): Promise<string> {
  const { port } = new URL(node.client.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(lines.join('\r\n'), 'latin1');
  return text(socket);
}

const last = ['host: x', 'connection: close', ''];
const ended = [...last, ''];
const json = 'content-type: application/json';
const post = 'POST /api/auth/signin HTTP/1.1';

/** The status, and whether the rest is the envelope of contract §1 with that code. */
function read(answer: string): { status: number; code: string; details: string[] } {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(answer)?.[1]);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^x-request-id: [\w-]{36}$/im);
  expect(head).toMatch(/^x-content-type-options: nosniff$/im);
  expect(head).toMatch(/^content-type: application\/json; charset=utf-8$/im);
  const { data, error } = failure.parse(JSON.parse(body));
  expect(data).toBe(null);
  return { status, code: error.code, details: error.details.map(({ path }) => path) };
}

describe('contract §1: malformed requests', () => {
  test.each<[string, string[], number, string, string[]]>([
    ['an unknown method', ['FOO /api/health HTTP/1.1', ...ended], 400, 'VALIDATION_FAILED', []],
    ['no Host', ['GET /api/health HTTP/1.1', 'connection: close', '', ''], 400, 'VALIDATION_FAILED', ['host']],
    ['a NUL in a header', ['GET /api/health HTTP/1.1', 'x: a\0b', ...ended], 400, 'VALIDATION_FAILED', []],
    ['raw bytes in the address', ['GET /api/h\u00e9 HTTP/1.1', ...ended], 400, 'VALIDATION_FAILED', []],
    ['an escaped NUL', ['GET /api/health?a=1&b=%00 HTTP/1.1', ...ended], 400, 'VALIDATION_FAILED', ['b']],
    ['an escaped NUL in the path', ['GET /api/health%00 HTTP/1.1', ...ended], 400, 'VALIDATION_FAILED', ['url']],
    ['a malformed escape', ['GET /api/health?a=%zz HTTP/1.1', ...ended], 400, 'VALIDATION_FAILED', ['a']],
    ['a lone surrogate', ['GET /api/health?a=%ED%A0%80 HTTP/1.1', ...ended], 400, 'VALIDATION_FAILED', ['a']],
    ['a name that is not text', ['GET /api/health?%ff=1 HTTP/1.1', ...ended], 400, 'VALIDATION_FAILED', ['query']],
    [
      'a parameter twice',
      ['GET /api/ops/quarantine?limit=1&limit=2 HTTP/1.1', ...ended],
      401,
      'MISSING_CREDENTIALS',
      [],
    ],
    [
      'two lengths',
      [post, json, 'content-length: 2', 'content-length: 3', ...last, '{}'],
      400,
      'VALIDATION_FAILED',
      [],
    ],
    [
      'a length and chunks, as smugglers send them',
      [post, json, 'content-length: 2', 'transfer-encoding: chunked', ...last, '0', '', ''],
      400,
      'VALIDATION_FAILED',
      [],
    ],
    [
      'a chunk without a size',
      [post, json, 'transfer-encoding: chunked', ...last, 'zz', ''],
      400,
      'VALIDATION_FAILED',
      [],
    ],
    ['a body without a type', [post, 'content-length: 2', ...last, '{}'], 415, 'UNSUPPORTED_MEDIA_TYPE', []],
    [
      'another type',
      [post, 'content-type: ;;;', 'content-length: 2', ...last, '{}'],
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      [],
    ],
    [
      'another method by a header',
      ['POST /api/health HTTP/1.1', 'x-http-method-override: GET', ...ended],
      404,
      'NOT_FOUND',
      [],
    ],
    ['TRACE', ['TRACE /api/health HTTP/1.1', ...ended], 404, 'NOT_FOUND', []],
    ['OPTIONS', ['OPTIONS * HTTP/1.1', ...ended], 404, 'NOT_FOUND', []],
    ['a path out of the tree', ['GET /api/../../etc/passwd HTTP/1.1', ...ended], 404, 'NOT_FOUND', []],
    ['the sync channel without an upgrade', ['GET /api/sync HTTP/1.1', ...ended], 404, 'NOT_FOUND', []],
    [
      'an upgrade of something else',
      ['GET /api/nothing HTTP/1.1', 'upgrade: h2c', 'connection: upgrade', ...ended],
      404,
      'NOT_FOUND',
      [],
    ],
    [
      'too many headers',
      ['GET /api/health HTTP/1.1', ...Array.from({ length: 3_000 }, () => 'x: 1'), ...ended],
      431,
      'VALIDATION_FAILED',
      [],
    ],
    [
      'an address that is too long',
      [`GET /api/health?${'x'.repeat(20_000)} HTTP/1.1`, ...ended],
      431,
      'VALIDATION_FAILED',
      [],
    ],
    ['a body that is too long', [post, json, `content-length: ${2 ** 21}`, ...ended], 413, 'TOO_LARGE', []],
    ['headers without an end', ['GET /api/health HTTP/1.1', 'host: x', ''], 408, 'VALIDATION_FAILED', []],
    [
      'a body that does not arrive',
      [post, json, 'content-length: 20', 'host: x', '', '{'],
      408,
      'VALIDATION_FAILED',
      [],
    ],
  ])('%s', async (_, lines, status, code, details) => {
    expect(read(await speak(...lines))).toEqual({ status, code, details });
  });

  test('a broken request on a used connection is answered; behind an open request it is not', async () => {
    const { port } = new URL(node.client.url);
    const used = connect(Number(port), '127.0.0.1');
    const answers = text(used);
    used.write('GET /api/health HTTP/1.1\r\nhost: x\r\n\r\n');
    used.once('data', () => used.write('FOO\r\n\r\n'));
    expect((await answers).match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    // A sign-in is slow: the client would read an answer to the second request as the answer to the first.
    const body = JSON.stringify({ employee_id: '1001', password: 'of nobody' });
    const signIn = [post, json, `content-length: ${body.length}`, 'host: x', '', body].join('\r\n');
    expect(await speak(`${signIn}FOO\r\n\r\n`)).toBe('');
  });

  test('a path of one segment more than the longest is no route', async () => {
    expect(read(await speak(`GET /api/health/${'x'.repeat(4_000)} HTTP/1.1`, ...ended)).code).toBe('NOT_FOUND');
  });

  test('an unknown expectation is not waited for', async () => {
    expect(read(await speak(post, json, 'expect: the-unexpected', 'content-length: 2', ...last, '{}')).code).toBe(
      'VALIDATION_FAILED',
    );
  });

  test('a body without a Host, as in HTTP/1.0, is served', async () => {
    expect(await speak('GET /api/health HTTP/1.0', '', '')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('RFC 9112 §9.3: pipelined requests', () => {
  const key = 'dGhlIHNhbXBsZSBub25jZQ==';
  const ask = 'GET /api/auth/employees HTTP/1.1\r\nhost: x\r\n\r\n';

  /** Locks the accounts. @returns how many statements wait for that once the server has read on */
  async function whileLocked(work: (waiting: () => Promise<number>) => Promise<void>): Promise<void> {
    const { pool } = node.database;
    const lock = await pool.connect();
    await lock.query('begin');
    await lock.query('lock table account in access exclusive mode');
    try {
      await work(async () => {
        const { rows } = await pool.query<{ n: number }>(
          'select count(*)::int as n from pg_locks where not granted and relation = $1::regclass',
          ['account'],
        );
        return rows[0]?.n ?? 0;
      });
    } finally {
      await lock.query('rollback');
      lock.release();
    }
  }

  test('the server serves those of one connection one after the other, all of them', async () => {
    const { port } = new URL(node.client.url);
    const socket = connect(Number(port), '127.0.0.1');
    const answers = text(socket);
    await whileLocked(async (waiting) => {
      socket.write(
        `${ask.repeat(40)}GET /%zz HTTP/1.1\r\nhost: x\r\n\r\n${ask.replace('\r\n', '\r\nconnection: close\r\n')}`,
      );
      await expect.poll(waiting).toBeGreaterThan(0);
      // Another round trip through the server: any work of the first one would show by now.
      await node.client.call(operations.health);
      expect(await waiting()).toBe(1);
    });
    const statuses = (await answers).match(/(?<=HTTP\/1\.1 )\d+/g);
    expect(statuses).toEqual([...Array<string>(40).fill('200'), '400', '200']);
  });

  test('a connection with an earlier request becomes a socket', async () => {
    const { port } = new URL(node.client.url);
    const socket = connect(Number(port), '127.0.0.1');
    const answers = text(socket);
    socket.write('GET /api/health HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');
    const upgrade = [
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      `sec-websocket-key: ${key}`,
    ];
    socket.write(['GET /api/sync HTTP/1.1', 'host: x', ...upgrade, '', ''].join('\r\n'));
    await once(socket, 'data');
    socket.end();
    expect((await answers).match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['200', '101']);
  });

  test('the server cuts off a client that requests without reading answers', async () => {
    await whileLocked(async () => {
      const client = connectRaw(node.client.url);
      client.socket.once('end', () => client.socket.end());
      client.socket.write(ask.repeat(200));
      // Small buffers leave requests unread, and then the cut is a reset.
      expect((await client.ending).answer).toBe('');
    });
    expect((await node.client.call(operations.listEmployees)).status).toBe(200);
  });
});

describe('contract §1: bodies', () => {
  const send = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    node.client.call(operations.signIn, { raw, headers: { 'content-type': 'application/json', ...headers } });

  const report = (raw: string) =>
    node.client.call(operations.submitLoadReport, { raw, headers: { 'content-type': 'application/json' } });

  test('compressed bodies are refused', async () => {
    const bomb = gzipSync(`{"employee_id":"${' '.repeat(1_000_000)}"}`);
    for (const coding of ['gzip', 'br', 'deflate', 'gzip, gzip'])
      expect((await send(new Uint8Array(bomb), { 'content-encoding': coding })).error?.code).toBe(
        'UNSUPPORTED_MEDIA_TYPE',
      );
    expect((await send('{}', { 'content-encoding': 'identity' })).error?.code).toBe('VALIDATION_FAILED');
  });

  test.each<[string, string[]]>([
    ['{"employee_id":"1001","employee_id":"1002","password":"x"}', ['employee_id']],
    [String.raw`{"employee_id":"1001","employee\u005fid":"1002","password":"x"}`, ['employee_id']],
    ['{"a":[{"b":1},{"b":"{\\"","b":[":","c"],"c":{"d":1,"d":{}}}]}', ['a.1.b', 'a.1.c.d']],
    ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ])('a duplicate name in one object: %s', async (raw, paths) => {
    const reply = await send(raw);
    expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED', details: paths.map((path) => ({ path })) });
    expect(reply.message).toContain(paths[0]);
  });

  test('the same name in two objects is no duplicate', async () => {
    const reply = await send('{"employee_id":"1001","password":"no:","x":{"y":{"y":":"},"z":[{"y":1},{"y":1}]}}');
    expect(reply.error?.code).toBe('INVALID_CREDENTIALS');
  });

  test('JSON is UTF-8, regardless of the header’s charset (RFC 8259 §8.1)', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-16' };
    expect((await send('{"employee_id":"1001","password":"é"}', headers)).error?.code).toBe('INVALID_CREDENTIALS');
  });

  test('MAX_JSON_MB is the limit', async () => {
    expect((await report(`"${'x'.repeat(2 ** 20)}"`)).error?.code).toBe('TOO_LARGE');
    expect((await report(`"${'x'.repeat(2 ** 20 - 2)}"`)).error?.code).toBe('VALIDATION_FAILED');
  });

  test('the limit of a body without credentials is much smaller', async () => {
    expect((await send(`"${'x'.repeat(2 ** 16)}"`)).error?.code).toBe('TOO_LARGE');
    expect((await send(`"${'x'.repeat(2 ** 16 - 2)}"`)).error?.code).toBe('VALIDATION_FAILED');
  });

  test('a body of too many small values is refused', async () => {
    expect((await report(`[${'1,'.repeat(300_000)}1]`)).error?.code).toBe('TOO_LARGE');
    expect((await report(`[${'1,'.repeat(299_998)}1]`)).error?.code).toBe('VALIDATION_FAILED');
    expect((await report(`["${','.repeat(400_000)}"]`)).error?.code).toBe('VALIDATION_FAILED');
  });
});
