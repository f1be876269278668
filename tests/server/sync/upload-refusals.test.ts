import { request } from 'node:http';
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { Upload } from 'tus-js-client';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { failure, statusOf } from '../../support/envelope.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import { createDatabase } from '../../support/postgres.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';
import type { TcpProxy } from '../../support/tcp-proxy.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { TestBytes } from '../../support/test-bytes.ts';
import { deviceAssetId, deviceMetadata, TusPhone } from '../../support/tus-phone.ts';

const salt = 'a-salt-of-this-queue';
const mebibyte = 1024 * 1024;
const day = 24 * 3_600_000;
const random = new TestBytes('refused uploads');
const place = '/api/sync/uploads';
const unknown = `${place}/0123456789ABCDEF`;
const stream = { 'content-type': 'application/offset+octet-stream' };

let node: SyncNode;
let network: TcpProxy;
let anna: Signed;

beforeAll(async () => {
  const database = await createDatabase();
  network = await startTcpProxy(Number(new URL(database.url).port));
  node = await startSyncNode({
    database,
    databaseUrl: network.through(database.url),
    uploadLimits: { fileBytes: mebibyte },
  });
  await insertEmployees(node.database.pool, ['1001', '1002']);
  anna = await signUp(node.client, '1001');
});

interface Asked {
  readonly method: string;
  readonly path?: string;
  /** Beside the credentials and `Tus-Resumable`; null removes one of these. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: BodyInit;
}

function ask({ method, path = place, headers = {}, body }: Asked): Promise<Response> {
  const all: Record<string, string | null> = { ...anna, 'tus-resumable': '1.0.0', ...headers };
  const sent = Object.entries(all).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  );
  return fetch(`${node.client.url}${path}`, {
    method,
    headers: sent,
    ...(body !== undefined && { body, duplex: 'half' }),
  });
}

/** The error of a refusal, after a check of the whole envelope. */
async function refusalOf(response: Response) {
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  const { error, message, data } = failure.parse(await response.json());
  expect(error.request_id).toBe(response.headers.get('x-request-id'));
  expect(response.status).toBe(statusOf(error.code));
  expect(data).toBeNull();
  return { status: response.status, code: error.code, paths: error.details.map(({ path }) => path), message };
}

/** Announces a file of Anna's. */
async function announced(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  await new TusPhone(node.client.url, { ...anna }).create(bytes.length, deviceMetadata(salt, bytes));
  return `${place}/${deviceAssetId(salt, bytes)}`;
}

const metadata = (pairs: Record<string, string>): string =>
  Object.entries(pairs)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');

const small = random.take(1_000);
const commitment = deviceMetadata(salt, small);
const patch = (more: Omit<Asked, 'method'>): Asked => ({
  method: 'PATCH',
  path: unknown,
  body: small,
  ...more,
  headers: { 'upload-offset': '0', ...stream, ...more.headers },
});
const post = (headers: Asked['headers'] = {}): Asked => ({ method: 'POST', headers });
const withMetadata = (wrong: Record<string, string>): Asked =>
  post({ 'upload-length': '1000', 'upload-metadata': metadata({ ...commitment, ...wrong }) });

/** Decision 94. */
describe('a refusal of /api/sync/uploads has the error envelope', () => {
  test.each<[string, string, string[], Asked]>([
    ['no credentials', 'MISSING_CREDENTIALS', [], post({ employee_id: null, api_token: null })],
    ['a wrong token', 'INVALID_TOKEN', [], post({ api_token: 'wrong' })],
    [
      'a wrong queue key',
      'INVALID_TOKEN',
      [],
      post({ api_token: null, queue_key: 'wrong', client_id: randomUUID(), 'upload-length': '1' }),
    ],
    ['OPTIONS without credentials', 'MISSING_CREDENTIALS', [], { method: 'OPTIONS', headers: { api_token: null } }],
    ['no tus version', 'UNSUPPORTED_TUS_VERSION', [], post({ 'tus-resumable': null })],
    ['another tus version', 'UNSUPPORTED_TUS_VERSION', [], post({ 'tus-resumable': '0.2.2', 'upload-length': '-1' })],
    ['no length', 'VALIDATION_FAILED', ['upload-length'], post()],
    ['a length that is not a number', 'VALIDATION_FAILED', ['upload-length'], post({ 'upload-length': '1e3' })],
    [
      'several headers at once',
      'VALIDATION_FAILED',
      ['upload-length', 'upload-metadata'],
      post({ 'upload-length': '-1', 'upload-metadata': 'filename %%%' }),
    ],
    ['a file past the limit', 'TOO_LARGE', [], post({ 'upload-length': String(mebibyte + 1) })],
    ['a length for later', 'UNSUPPORTED_TUS_EXTENSION', [], post({ 'upload-defer-length': '1' })],
    ['a concatenation', 'UNSUPPORTED_TUS_EXTENSION', [], post({ 'upload-length': '5', 'upload-concat': 'partial' })],
    ['an id of other bytes', 'VALIDATION_FAILED', ['upload-metadata.asset_id'], withMetadata({ salt: salt.slice(1) })],
    ['a malformed id', 'VALIDATION_FAILED', ['upload-metadata.asset_id'], withMetadata({ asset_id: '../secrets' })],
    ['half a digest', 'VALIDATION_FAILED', ['upload-metadata.sha256'], withMetadata({ sha256: 'abcd' })],
    ['an id without a digest', 'VALIDATION_FAILED', ['upload-metadata.sha256'], withMetadata({ sha256: '' })],
    ['an id without a salt', 'VALIDATION_FAILED', ['upload-metadata.salt'], withMetadata({ salt: '' })],
    ['a short salt', 'VALIDATION_FAILED', ['upload-metadata.salt'], withMetadata({ salt: 'short' })],
    ['bytes of an unknown upload', 'UPLOAD_NOT_FOUND', [], patch({})],
    ['bytes without an upload', 'UPLOAD_NOT_FOUND', [], patch({ path: place })],
    ['the end of an unknown upload', 'UPLOAD_NOT_FOUND', [], { method: 'DELETE', path: unknown }],
    ['the end of no upload', 'UPLOAD_NOT_FOUND', [], { method: 'DELETE' }],
    ['bytes without an offset', 'VALIDATION_FAILED', ['upload-offset'], patch({ headers: { 'upload-offset': null } })],
    ['a malformed offset', 'VALIDATION_FAILED', ['upload-offset'], patch({ headers: { 'upload-offset': '-1' } })],
    ['bytes without a type', 'UNSUPPORTED_MEDIA_TYPE', [], patch({ headers: { 'content-type': null } })],
    ['bytes of another type', 'UNSUPPORTED_MEDIA_TYPE', [], patch({ headers: { 'content-type': 'image/png' } })],
    ['a malformed type', 'UNSUPPORTED_MEDIA_TYPE', [], patch({ headers: { 'content-type': '///' } })],
    ['compressed bytes', 'UNSUPPORTED_MEDIA_TYPE', [], patch({ headers: { 'content-encoding': 'gzip' } })],
    ['another method', 'NOT_FOUND', [], { method: 'GET', path: unknown }],
    ['a path below an upload', 'NOT_FOUND', [], { method: 'HEAD', path: `${unknown}/bytes` }],
    ['a malformed path', 'VALIDATION_FAILED', ['url'], { method: 'DELETE', path: `${place}/%00` }],
  ])('%s: %s', async (_, code, paths, asked) => {
    const response = await ask(asked);
    // An answer to HEAD has no body: the same request by another method shows the error.
    const shown = asked.method === 'HEAD' ? await ask({ ...asked, method: 'DELETE' }) : response;
    expect(response.status).toBe(shown.status);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await refusalOf(shown)).toMatchObject({ code, paths });
  });

  test('HEAD of an unknown upload returns its type and its request, without a body', async () => {
    const response = await ask({ method: 'HEAD', path: unknown, headers: { 'x-request-id': 'asked-by-head' } });
    expect(response.status).toBe(404);
    expect(response.headers.get('x-request-id')).toBe('asked-by-head');
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.text()).toBe('');
  });

  test('a refusal has the headers that tus expects', async () => {
    const version = await ask(post({ 'tus-resumable': null }));
    expect([version.status, version.headers.get('tus-version')]).toEqual([412, '1.0.0']);
    for (const asked of [post(), post({ api_token: 'wrong' }), patch({})])
      expect((await ask(asked)).headers.get('tus-resumable')).toBe('1.0.0');
    expect((await ask(post({ api_token: 'wrong' }))).headers.get('www-authenticate')).toBe('Bearer');
  });

  test('another offset', async () => {
    const path = await announced(small);
    const answer = await refusalOf(await ask(patch({ path, headers: { 'upload-offset': '7' } })));
    expect(answer).toMatchObject({ status: 409, code: 'OFFSET_CONFLICT' });
    expect(answer.message).toContain('HEAD');
  });

  test('the first bytes once more, with the announcement', async () => {
    const path = await announced(small);
    await ask(patch({ path, body: small.slice(0, 400) }));
    const again = { ...withMetadata({}), body: small };
    const response = await ask({ ...again, headers: { ...again.headers, ...stream } });
    expect(await refusalOf(response)).toMatchObject({ code: 'OFFSET_CONFLICT' });
  });

  test('a length beside bytes', async () => {
    const path = await announced(random.take(10));
    expect(await refusalOf(await ask(patch({ path, headers: { 'upload-length': '10' } })))).toMatchObject({
      status: 501,
      code: 'UNSUPPORTED_TUS_EXTENSION',
    });
  });

  test.each(['by its length', 'in chunks'])('more bytes than announced, %s', async (how) => {
    const path = await announced(random.take(500));
    const body = how === 'in chunks' ? new Blob([small]).stream() : small;
    expect(await refusalOf(await ask(patch({ path, body })))).toMatchObject({ status: 413, code: 'TOO_LARGE' });
  });

  test('other bytes than the id commits to', async () => {
    const path = await announced(random.take(1_000));
    const answer = await refusalOf(await ask(patch({ path, body: small })));
    expect(answer).toMatchObject({ status: 460, code: 'CHECKSUM_MISMATCH' });
  });

  test('the end of an asset', async () => {
    const bytes = random.take(100);
    const path = await announced(bytes);
    await ask(patch({ path, body: bytes }));
    expect(await refusalOf(await ask({ method: 'DELETE', path }))).toMatchObject({ code: 'UPLOAD_NOT_FOUND' });
  });

  test('an expired upload', async () => {
    const now = node.clock.now;
    node.clock.now = new Date(now.getTime() - 8 * day);
    const path = await announced(random.take(2_000));
    node.clock.now = now;
    expect(await refusalOf(await ask(patch({ path })))).toMatchObject({ status: 410, code: 'UPLOAD_EXPIRED' });
  });

  test('more than the quota of an hour, with the time to wait', async () => {
    const scant = await startSyncNode({ uploadLimits: { hourBytes: 1 } });
    await insertEmployees(scant.database.pool, ['1002']);
    const phone = new TusPhone(scant.client.url, { ...(await signUp(scant.client, '1002')) });
    await phone.create(5);
    const response = await phone.create(5);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refusalOf(response)).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
  });

  test('tus-js-client reads the refusal', async () => {
    const error = await new Promise<Error>((resolve, reject) => {
      const upload = new Upload(Buffer.from(small), {
        endpoint: `${node.client.url}${place}`,
        headers: { ...anna },
        metadata: { ...commitment, sha256: 'abcd' },
        retryDelays: null,
        onError: resolve,
        onSuccess: () => reject(new Error('taken')),
      });
      upload.start();
    });
    expect(error.message).toContain('"code":"VALIDATION_FAILED"');
  });
});

describe('failures below tus', () => {
  test('a request that waits in the database while another one takes its upload: 423, to be repeated', async () => {
    const path = await announced(random.take(1_000));
    const holder = await node.database.pool.connect();
    await holder.query('begin');
    await holder.query('lock table asset_intake in access exclusive mode');
    const first = ask(patch({ path }));
    const waiting = async (): Promise<unknown> => {
      const { rows } = await holder.query(
        `select from pg_locks where not granted and relation = 'asset_intake'::regclass`,
      );
      return rows.length;
    };
    await expect.poll(waiting).toBe(1);
    const aborts = vi.spyOn(AbortController.prototype, 'abort');
    onTestFinished(() => aborts.mockRestore());
    const second = ask({ method: 'HEAD', path });
    // A second after the second request, the tus library aborts the first one, with the event of its timer as reason.
    await expect.poll(() => aborts.mock.calls.some(([reason]) => reason instanceof Event)).toBe(true);
    await holder.query('commit');
    holder.release();
    expect(await refusalOf(await first)).toMatchObject({ status: 423, code: 'UPLOAD_LOCKED' });
    expect((await second).headers.get('upload-offset')).toBe('0');
  });

  test('the database becomes unreachable during the upload: 503, with the time to wait', async () => {
    const bytes = random.take(400_000);
    const path = await announced(bytes);
    const { promise: answered, resolve, reject } = Promise.withResolvers<Response>();
    const headers = { ...anna, 'tus-resumable': '1.0.0', 'upload-offset': '0', ...stream };
    const sending = request(`${node.client.url}${path}`, { method: 'PATCH', headers }, (answer) => {
      const { statusCode: status = 0, headers: answerHeaders } = answer;
      text(answer).then((body) => resolve(new Response(body, { status, headers: textOf(answerHeaders) })), reject);
    });
    sending.on('error', reject);
    sending.write(bytes.slice(0, 200_000));
    const received = async (): Promise<unknown> => {
      const { rows } = await node.database.pool.query<{ received: number }>(
        'select received from asset_intake where asset_id = $1',
        [path.split('/').at(-1)],
      );
      return rows[0]?.received;
    };
    await expect.poll(received).not.toBe(0);
    network.refuse();
    network.cut();
    sending.end(bytes.slice(200_000));
    const response = await answered;
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await refusalOf(response)).toMatchObject({ status: 503, code: 'DATABASE_UNAVAILABLE' });
    const before = await ask({ method: 'DELETE', path });
    expect(await refusalOf(before)).toMatchObject({ status: 503, code: 'DATABASE_UNAVAILABLE' });
    await network.accept();
    await expect.poll(async () => (await ask({ method: 'HEAD', path })).status).toBe(200);
  });

  test('an unexpected failure: 500 without internals', async () => {
    const path = await announced(random.take(3_000));
    await node.database.pool.query('alter table asset_intake rename to asset_intake_gone');
    const answer = await refusalOf(await ask({ method: 'DELETE', path }));
    await node.database.pool.query('alter table asset_intake_gone rename to asset_intake');
    expect(answer).toMatchObject({ status: 500, code: 'INTERNAL' });
    expect(answer.message).not.toContain('asset_intake');
  });
});

const textOf = (headers: NodeJS.Dict<string | string[]>): [string, string][] =>
  Object.entries(headers).map(([name, value]) => [name, String(value)]);
