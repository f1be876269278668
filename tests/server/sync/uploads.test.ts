import { randomUUID } from 'node:crypto';
import { Upload } from 'tus-js-client';
import { beforeAll, describe, expect, test } from 'vitest';
import { ResumableUploads } from '../../../server/src/assets/resumable.ts';
import { sweepAssets } from '../../../server/src/assets/sweep.ts';
import { shareCommits } from '../../../server/src/assets/shared-commit.ts';
import { withTransaction } from '../../../server/src/db/transaction.ts';
import { readableHeaders } from '../../../server/src/http/server/browser-rules.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import { Phone } from '../../support/phone.ts';
import type { Signed } from '../../support/rest-client.ts';
import type { SyncNode } from '../../support/sync-node.ts';
import { startSyncNode } from '../../support/sync-node.ts';
import { TestBytes } from '../../support/test-bytes.ts';
import { deviceAssetId, deviceMetadata, sha256Of, TusPhone } from '../../support/tus-phone.ts';
import { download, keptOfUploads } from '../../support/uploads.ts';
import { WebProxy } from '../../support/web-proxy.ts';

const salt = 'a-salt-of-this-queue';
const mebibyte = 1024 * 1024;
const week = 7 * 24 * 3_600_000;
const random = new TestBytes('resumable uploads');

let node: SyncNode;
let anna: Signed;
let bert: Signed;

beforeAll(async () => {
  node = await startSyncNode({ uploadLimits: { fileBytes: 2 * mebibyte } });
  await insertEmployees(node.database.pool, ['1001', '1002', '1003']);
  anna = await signUp(node.client, '1001');
  bert = await signUp(node.client, '1002');
});

const phoneOf = (who: Signed) => new TusPhone(node.client.url, { ...who });
const offsetOf = (response: Response) => Number(response.headers.get('upload-offset'));
const bytesOf = async (id: string) => {
  const response = await fetch(`${node.client.url}/api/v20/assets/raw/${id}`, { headers: { ...anna } });
  return Buffer.from(await response.arrayBuffer());
};
const kept = () => keptOfUploads(node.database.pool);
const uploads = () =>
  new ResumableUploads({
    db: node.database.pool,
    clock: () => node.clock.now,
    commit: shareCommits({ inTransaction: (work) => withTransaction(node.database.pool, work), wake: async () => {} }),
  });

/** Sends a whole file as a device does. @returns its id */
async function sendWhole(phone: TusPhone, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const id = deviceAssetId(salt, bytes);
  expect((await phone.create(bytes.length, deviceMetadata(salt, bytes))).status).toBe(201);
  expect((await phone.patch(id, 0, bytes)).status).toBe(204);
  return id;
}

describe('a resumable upload', () => {
  test('becomes the asset of its address, with all bytes and the type that they show', async () => {
    const bytes = new Uint8Array([
      ...Buffer.from('ffd8ffe000104a46494600010101006000600000', 'hex'),
      ...random.take(300_000),
    ]);
    const phone = phoneOf(anna);
    const created = await phone.create(bytes.length, deviceMetadata(salt, bytes));
    const id = deviceAssetId(salt, bytes);
    expect(created.headers.get('location')).toBe(`uploads/${id}`);
    expect(offsetOf(await phone.patch(id, 0, bytes))).toBe(bytes.length);
    const response = await fetch(`${node.client.url}/api/v20/assets/raw/${id}`, { headers: { ...anna } });
    expect(response.headers.get('content-type')).toBe('image/jpeg');
    expect(response.headers.get('etag')).toBe(`"${sha256Of(bytes)}"`);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
    expect((await kept()).intakes).toBe(0);
  });

  test('passes two proxies, each of which names its protocol', async () => {
    const phone = new TusPhone(node.client.url, { ...anna, 'x-forwarded-proto': 'https, http' });
    const bytes = random.take(1_000);
    expect(offsetOf(await phone.head(await sendWhole(phone, bytes)))).toBe(bytes.length);
  });

  test('resumes at its offset, and reports that offset', async () => {
    const bytes = random.take(400_000);
    const id = deviceAssetId(salt, bytes);
    const phone = phoneOf(anna);
    await phone.create(bytes.length, deviceMetadata(salt, bytes));
    expect(offsetOf(await phone.patch(id, 0, bytes.slice(0, 150_001)))).toBe(150_001);
    expect((await phone.patch(id, 0, bytes)).status).toBe(409);
    const head = await phone.head(id);
    expect([offsetOf(head), head.headers.get('upload-length')]).toEqual([150_001, '400000']);
    expect(offsetOf(await phone.patch(id, 150_001, bytes.slice(150_001)))).toBe(bytes.length);
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
  });

  test('has every byte that came before its link broke', async () => {
    const bytes = Buffer.from(random.take(400_000));
    const id = deviceAssetId(salt, bytes);
    await uploads().begin({ id, owner: 'a queue', length: bytes.length, name: '', sha256: undefined });
    const broken = new Error('the link broke');
    // More than a piece that is saved at once, and a rest that is in memory only.
    async function* upTo(end: number) {
      yield bytes.subarray(0, 100_000);
      yield bytes.subarray(100_000, end);
      throw broken;
    }
    await expect(uploads().append(id, 'a queue', 0, upTo(200_001))).rejects.toBe(broken);
    expect((await uploads().find(id, 'a queue'))?.received).toBe(200_001);
    async function* rest() {
      yield bytes.subarray(200_001);
    }
    expect(await uploads().append(id, 'a queue', 200_001, rest())).toBe(bytes.length);
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
  });

  test('reports its offset and the epoch of the database to a page of another origin', async () => {
    const phone = phoneOf(anna);
    const id = await sendWhole(phone, random.take(1_000));
    const readable = (await phone.head(id)).headers.get('access-control-expose-headers')?.toLowerCase().split(/, ?/);
    expect(readable).toEqual(expect.arrayContaining(['upload-offset', ...readableHeaders]));
  });

  test('announced again, in progress or complete, is the same one', async () => {
    const bytes = random.take(50_000);
    const id = deviceAssetId(salt, bytes);
    const phone = phoneOf(anna);
    await phone.create(bytes.length, deviceMetadata(salt, bytes));
    await phone.patch(id, 0, bytes.slice(0, 20_000));
    expect((await phone.create(bytes.length, deviceMetadata(salt, bytes))).status).toBe(201);
    expect(offsetOf(await phone.head(id))).toBe(20_000);
    await phone.patch(id, 20_000, bytes.slice(20_000));
    const before = await kept();
    expect((await phone.create(bytes.length, deviceMetadata(salt, bytes))).status).toBe(201);
    expect((await phone.patch(id, 0, bytes)).status).toBe(409);
    expect(offsetOf(await phone.head(id))).toBe(bytes.length);
    expect(await kept()).toEqual(before);
  });

  test('without bytes is an asset after the first request', async () => {
    const nothing = new Uint8Array();
    const phone = phoneOf(anna);
    expect((await phone.create(0, deviceMetadata(salt, nothing))).status).toBe(201);
    expect((await bytesOf(deviceAssetId(salt, nothing))).length).toBe(0);
  });

  test('in thousands of small pieces leaves few rows behind', async () => {
    const bytes = random.take(20_000);
    const id = deviceAssetId(salt, bytes);
    const phone = phoneOf(anna);
    await phone.create(bytes.length, deviceMetadata(salt, bytes));
    const before = await kept();
    for (let at = 0; at < bytes.length; at += 500) await phone.patch(id, at, bytes.slice(at, at + 500));
    expect((await kept()).chunks).toBe(before.chunks + 1);
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
  });

  test('can be deleted until it is complete', async () => {
    const bytes = random.take(30_000);
    const id = deviceAssetId(salt, bytes);
    const phone = phoneOf(anna);
    const before = await kept();
    await phone.create(bytes.length, deviceMetadata(salt, bytes));
    await phone.patch(id, 0, bytes.slice(0, 10_000));
    expect((await phone.forget(id)).status).toBe(204);
    expect((await phone.head(id)).status).toBe(404);
    expect(await kept()).toEqual(before);
    await sendWhole(phone, bytes);
    expect((await phone.forget(id)).status).toBe(404);
    expect((await bytesOf(id)).length).toBe(30_000);
  });
});

describe('an id that a device makes', () => {
  const bytes = new Uint8Array(Buffer.from('the bytes that were announced'));

  test.each([
    ['for other bytes than it commits to', { asset_id: deviceAssetId(salt, new Uint8Array([1])) }],
    ['with another salt', { salt: 'another-salt-altogether' }],
    ['without a salt', { salt: '' }],
    ['with a salt that can be guessed', { salt: 'short' }],
    ['without a digest', { sha256: '' }],
    ['with half a digest', { sha256: 'abcd' }],
    ['that is malformed', { asset_id: '../../secrets' }],
  ])('%s is refused', async (_, wrong) => {
    const response = await phoneOf(anna).create(bytes.length, { ...deviceMetadata(salt, bytes), ...wrong });
    expect(response.status).toBe(400);
    expect((await phoneOf(anna).head(deviceAssetId(salt, bytes))).status).toBe(404);
  });

  test('is not used up by other bytes under it: 460, and the right bytes find it free', async () => {
    const wrong = new Uint8Array(bytes).fill(7);
    const id = deviceAssetId(salt, bytes);
    const before = await kept();
    await phoneOf(bert).create(bytes.length, deviceMetadata(salt, bytes));
    expect((await phoneOf(bert).patch(id, 0, wrong)).status).toBe(460);
    expect(await kept()).toEqual(before);
    await sendWhole(phoneOf(anna), bytes);
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
  });

  test('sent by two concurrent senders is two uploads, and one asset with one copy of its bytes', async () => {
    const both = random.take(60_000);
    const id = deviceAssetId(salt, both);
    for (const who of [anna, bert]) await phoneOf(who).create(both.length, deviceMetadata(salt, both));
    await phoneOf(bert).patch(id, 0, both.slice(0, 40_000));
    expect(offsetOf(await phoneOf(anna).head(id))).toBe(0);
    const before = await kept();
    await phoneOf(anna).patch(id, 0, both);
    // His next request finds the asset; his own upload remains until it expires.
    await phoneOf(bert).patch(id, 40_000, both.slice(40_000));
    expect((await bytesOf(id)).equals(both)).toBe(true);
    expect((await kept()).assets).toBe(before.assets + 1);
    expect((await kept()).contents).toBe(before.contents);
  });
});

describe('the right to upload', () => {
  test.each([
    ['no credentials', {}],
    ['a driver without a token', { employee_id: '1001' }],
    ['a driver with a wrong token', { employee_id: '1001', api_token: 'wrong' }],
    ['a queue with a wrong key', { employee_id: '1001', queue_key: 'wrong', client_id: randomUUID() }],
  ])('%s: 401, under any ACCESS', async (_, headers) => {
    const response = await new TusPhone(node.client.url, headers).create(5);
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ success: false });
  });

  test('belongs to a queue key, also after its driver was signed out; an upload begun by token continues', async () => {
    const carl = await signUp(node.client, '1003');
    const socket = await Phone.connect(node.socketUrl);
    const { queue_key = '' } = await socket.signOn(carl, { wants_queue_key: true });
    const bytes = random.take(9_000);
    await phoneOf(carl).create(bytes.length, deviceMetadata(salt, bytes));
    await node.database.pool.query(`update session set revoked_at = now() where employee = '1003'`);
    const keyed = new TusPhone(node.client.url, { employee_id: '1003', client_id: socket.clientId, queue_key });
    const id = deviceAssetId(salt, bytes);
    expect(offsetOf(await keyed.head(id))).toBe(0);
    expect((await keyed.patch(id, 0, bytes)).status).toBe(204);
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
  });

  test('a file larger than the limit is refused before its first byte', async () => {
    expect((await phoneOf(anna).create(2 * mebibyte + 1)).status).toBe(413);
  });

  test('a driver past the quota: 429, until the next hour', async () => {
    const tight = await startSyncNode({ uploadLimits: { hourBytes: 6_000 } });
    tight.clock.now = new Date('2026-11-20T10:59:00Z');
    await insertEmployees(tight.database.pool, ['1001']);
    const phone = new TusPhone(tight.client.url, { ...(await signUp(tight.client, '1001')) });
    expect((await phone.create(10)).status).toBe(201);
    const refused = await phone.create(10);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    tight.clock.now = new Date('2026-11-20T11:00:00Z');
    expect((await phone.create(10)).status).toBe(201);
  });

  test.each(['2020-02-29T12:00:00Z', '2060-02-29T12:00:00Z'])('ages by the clock of the service: %s', async (start) => {
    const other = await startSyncNode({ uploadLimits: { fileBytes: 2 * mebibyte } });
    other.clock.now = new Date(start);
    await insertEmployees(other.database.pool, ['1001']);
    const phone = new TusPhone(other.client.url, { ...(await signUp(other.client, '1001')) });
    const bytes = random.take(3_000);
    const id = deviceAssetId(salt, bytes);
    expect((await phone.create(bytes.length, deviceMetadata(salt, bytes))).status).toBe(201);
    expect((await phone.patch(id, 0, bytes.subarray(0, 1_000))).status).toBe(204);
    other.clock.now = new Date(other.clock.now.getTime() + week - 60_000);
    expect(offsetOf(await phone.head(id))).toBe(1_000);
    expect((await phone.patch(id, 1_000, bytes.subarray(1_000, 2_000))).status).toBe(204);
    other.clock.now = new Date(other.clock.now.getTime() + week + 60_000);
    expect((await phone.patch(id, 2_000, bytes.subarray(2_000))).status).toBe(410);
  });

  test('the sweep removes an expired upload with its bytes, and no upload in progress', async () => {
    const [old, active] = [random.take(5_000), random.take(5_000)];
    const phone = phoneOf(anna);
    for (const bytes of [old, active]) {
      await phone.create(bytes.length, deviceMetadata(salt, bytes));
      await phone.patch(deviceAssetId(salt, bytes), 0, bytes.slice(0, 1_000));
    }
    const started = node.clock.now.getTime();
    node.clock.now = new Date(started + week - 1_000);
    await phone.patch(deviceAssetId(salt, active), 1_000, active.slice(1_000, 2_000));
    node.clock.now = new Date(started + week + 1_000);
    await sweepAssets(node.database.pool, node.clock.now);
    expect((await phone.head(deviceAssetId(salt, old))).status).toBe(404);
    expect(offsetOf(await phone.head(deviceAssetId(salt, active)))).toBe(2_000);
  });
});

describe('a crash between the last byte and the end', () => {
  /** All bytes are saved and the asset is not: the state that a killed process leaves. */
  async function leaveWhole(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const phone = phoneOf(anna);
    const id = deviceAssetId(salt, bytes);
    await phone.create(bytes.length, deviceMetadata(salt, bytes));
    await phone.patch(id, 0, bytes.slice(0, -1));
    await node.database.pool.query(
      `with moved as (update asset_intake set received = received + 1 where asset_id = $1 returning content)
       insert into asset_chunk (content, at, data) select content, $2, $3 from moved`,
      [id, bytes.length - 1, bytes.slice(-1)],
    );
    return id;
  }

  test('is repaired by the next request', async () => {
    const bytes = random.take(7_000);
    const id = await leaveWhole(bytes);
    expect(offsetOf(await phoneOf(anna).head(id))).toBe(bytes.length);
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
  });

  test('is repaired by the sweep where no request comes, however late', async () => {
    const bytes = random.take(7_000);
    const id = await leaveWhole(bytes);
    node.clock.now = new Date(node.clock.now.getTime() + 2 * week);
    await sweepAssets(node.database.pool, node.clock.now);
    await uploads().finishComplete();
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
  });
});

describe('any tus client', () => {
  test.each([
    ['', '/api/sync/uploads'],
    ['/pod', '/api/sync/uploads'],
    ['/pod', '/api/sync/uploads/'],
  ])('uploads by its headers alone, with a name, and finds the id in the address (%s%s)', async (prefix, path) => {
    const bytes = random.take(700_000);
    const proxy = await WebProxy.start(node.client.url, { prefix });
    const url = await new Promise<string>((resolve, reject) => {
      const upload = new Upload(Buffer.from(bytes), {
        endpoint: `${proxy.url}${prefix}${path}`,
        headers: { ...anna },
        metadata: { filename: 'delivery note.pdf', filetype: 'text/html' },
        chunkSize: 200_000,
        onError: reject,
        onSuccess: () => resolve(upload.url ?? ''),
      });
      upload.start();
    });
    const id = url.split('/').at(-1) ?? '';
    expect(url).toBe(`${proxy.url}${prefix}/api/sync/uploads/${id}`);
    const { bytes: read, headers } = await download(node.client, id);
    expect(read.equals(bytes)).toBe(true);
    expect(headers.get('content-type')).toBe('application/pdf');
    expect(headers.get('content-disposition')).toContain('delivery note.pdf');
  });
});
