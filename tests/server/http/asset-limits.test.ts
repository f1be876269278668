import { request } from 'node:http';
import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { formOverhead } from '../../../server/src/http/endpoints/uploads.ts';
import { sweepAssets } from '../../../server/src/assets/sweep.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';
import { TestBytes } from '../../support/test-bytes.ts';
import { download, formOf, keptOfUploads, sendFiles, storeFiles } from '../../support/uploads.ts';

const mebibyte = 1024 * 1024;
/** Small, so that the tests send little; larger limits use the same code. */
const uploadLimits = { fileBytes: 2 * mebibyte, files: 3, requestBytes: 4 * mebibyte };

let server: RestServer;
const random = new TestBytes('asset limits');

beforeAll(async () => {
  server = await startRestServer({ uploadLimits });
});

const kept = () => keptOfUploads(server.database.pool);
const sized = (...sizes: number[]) => sizes.map((size, i) => ({ name: `${i}.bin`, bytes: random.take(size) }));

describe('limits (contract §1, §3)', () => {
  test('a file of the maximum size is accepted', async () => {
    const files = sized(2 * mebibyte, 2 * mebibyte);
    const ids = await storeFiles(server.client, { files });
    expect((await download(server.client, ids[1] ?? '')).bytes.equals(files[1]?.bytes ?? new Uint8Array())).toBe(true);
  });

  test.each([
    ['a file that is a byte too large', [2 * mebibyte + 1]],
    ['a last file that is too large', [10, 2 * mebibyte + 1]],
    ['one file too many', [1, 1, 1, 1]],
    ['too many bytes together', [2 * mebibyte, 2 * mebibyte, 1]],
    ['far too many bytes', [8 * mebibyte]],
  ])('%s: 413, and nothing is stored', async (_, sizes) => {
    const before = await kept();
    const reply = await sendFiles(server.client, { files: sized(...sizes) });
    expect([reply.status, reply.error?.code]).toEqual([413, 'TOO_LARGE']);
    expect(await kept()).toEqual(before);
  });

  test('too many parts: 413', async () => {
    const raw = formOf({ files: sized(1) });
    for (let i = 0; i < 300; i++) raw.append(`x${i}`, new Blob(['']));
    expect((await server.client.call(operations.uploadAssets, { raw })).error?.code).toBe('TOO_LARGE');
  });

  test('a mimetypes field above its length: 400 (contract §3)', async () => {
    for (const mimetypes of [`{"a":"${'b'.repeat(70_000)}/c"}`, ' '.repeat(70_000)]) {
      const reply = await sendFiles(server.client, { files: sized(1), mimetypes });
      expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'mimetypes' }] });
    }
  });
});

describe('quota (contract §3)', () => {
  test('an address above its quota of the hour: 429 until the next hour, refused uploads included', async () => {
    const tight = await startRestServer({ uploadLimits: { hourBytes: 100_000, fileBytes: 60_000 } });
    tight.clock.now = new Date('2026-11-20T10:59:00Z');
    const send = async (size: number) => (await sendFiles(tight.client, { files: sized(size) })).status;
    expect([await send(61_000), await send(30_000), await send(30_000)]).toEqual([413, 200, 429]);
    expect((await sendFiles(tight.client, { files: sized(30_000) })).headers.get('retry-after')).toBe('60');
    expect((await keptOfUploads(tight.database.pool)).assets).toBe(1);
    tight.clock.now = new Date('2026-11-20T11:00:00Z');
    expect(await send(30_000)).toBe(200);
  });

  test('a body without a length is counted afterwards', async () => {
    const tight = await startRestServer({ uploadLimits: { hourBytes: 100_000 } });
    expect(await sendInPieces(tight, 90_000)).toBe(200);
    expect((await sendFiles(tight.client, { files: sized(20_000) })).status).toBe(429);
  });

  test.each([
    ['a file of another field', fileNamed('other')],
    ['a text of another field', '--b\r\ncontent-disposition: form-data; name="other"\r\n\r\n'],
    ['bytes before the first part', 'no part'],
  ])('without a length, %s counts and has the limit of a request', async (_, opening) => {
    const tight = await startRestServer({ uploadLimits: { requestBytes: mebibyte } });
    const sent = mebibyte + formOverhead + 1;
    expect(await sendInPieces(tight, sent, opening)).toBe(413);
    const counted = async () => {
      const { rows } = await tight.database.pool.query<{ bytes: string }>('select bytes from asset_quota');
      return Number(rows[0]?.bytes);
    };
    await expect.poll(counted).toBeGreaterThanOrEqual(sent);
  });
});

describe('Idempotency-Key (contract §3)', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

  test('the same bytes again: the first answer, and nothing more is stored', async () => {
    const files = sized(700_000, 5);
    const first = await storeFiles(server.client, { files, ...keyed('again') });
    const before = await kept();
    expect(await storeFiles(server.client, { files, ...keyed('again') })).toEqual(first);
    expect(await kept()).toEqual(before);
  });

  test('other bytes, fewer files or another order under the same key: 409, nothing stored', async () => {
    const files = sized(10, 600_000);
    await storeFiles(server.client, { files, ...keyed('other') });
    const before = await kept();
    for (const others of [sized(10), files.slice(0, 1), files.toReversed()]) {
      const reply = await sendFiles(server.client, { files: others, ...keyed('other') });
      expect([reply.status, reply.error?.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    }
    expect(await kept()).toEqual(before);
  });

  test('twenty concurrent requests: one upload', async () => {
    const before = await kept();
    const files = sized(600_000, 10);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => storeFiles(server.client, { files, ...keyed('at once') })),
    );
    expect(new Set(answers.map(String)).size).toBe(1);
    const after = await kept();
    expect([after.assets - before.assets, after.contents - before.contents, after.intakes]).toEqual([2, 2, 0]);
  });

  test('twenty concurrent requests with different bytes: one upload, nineteen times 409', async () => {
    const before = await kept();
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => sendFiles(server.client, { files: sized(600_000), ...keyed('race') })),
    );
    const count = (status: number) => replies.filter((reply) => reply.status === status).length;
    expect([count(200), count(409)]).toEqual([1, 19]);
    const after = await kept();
    expect([after.assets - before.assets, after.contents - before.contents, after.intakes]).toEqual([1, 1, 0]);
  });

  test('a refused upload leaves its key free', async () => {
    await sendFiles(server.client, { files: sized(2 * mebibyte + 1), ...keyed('free') });
    expect(await storeFiles(server.client, { files: sized(1), ...keyed('free') })).toHaveLength(1);
  });

  test('without a key the same bytes are another upload', async () => {
    const files = sized(10);
    expect(await storeFiles(server.client, { files })).not.toEqual(await storeFiles(server.client, { files }));
  });

  test('a key is remembered for thirty days (contract §4)', async () => {
    const files = sized(10);
    const first = await storeFiles(server.client, { files, ...keyed('old') });
    const days = (count: number) => new Date(server.clock.now.getTime() + count * 86_400_000);
    await sweepAssets(server.database.pool, days(29));
    expect(await storeFiles(server.client, { files, ...keyed('old') })).toEqual(first);
    await sweepAssets(server.database.pool, days(31));
    expect(await storeFiles(server.client, { files, ...keyed('old') })).not.toEqual(first);
  });
});

describe('aborted uploads (contract §3)', () => {
  test('a connection that breaks in the middle of a file leaves nothing', async () => {
    const before = await kept();
    const sent = beginUpload(server);
    for (let i = 0; i < 15; i++) sent.write(random.take(100_000));
    // The server saves more than half a megabyte before the cut.
    await expect.poll(async () => (await kept()).intakes).toBe(1);
    sent.destroy();
    await expect.poll(kept).toEqual(before);
  });

  test('the sweep removes the expired uploads of a killed process, and nothing else', async () => {
    const files = sized(600_000);
    const [id = ''] = await storeFiles(server.client, { files });
    const before = await kept();
    const { pool } = server.database;
    await pool.query(
      `insert into asset_intake (content, received, expires_at)
      values ('019358a0-0000-7000-8000-000000000001', 1, $1), ('019358a0-0000-7000-8000-000000000002', 1, $2)`,
      [new Date(server.clock.now.getTime() - 1), new Date(server.clock.now.getTime() + 1)],
    );
    await pool.query(`insert into asset_chunk (content, at, data)
      select content, at, '\\x00' from asset_intake, generate_series(0, 9) as at`);
    await sweepAssets(pool, server.clock.now);
    const after = await kept();
    expect([after.intakes - before.intakes, after.chunks - before.chunks]).toEqual([1, 10]);
    await sweepAssets(pool, new Date(server.clock.now.getTime() + 2));
    expect(await kept()).toEqual(before);
    expect((await download(server.client, id)).bytes.equals(files[0]?.bytes ?? new Uint8Array())).toBe(true);
  });

  test('an upload that the sweep removed while it was in progress becomes no asset', async () => {
    const before = await kept();
    const sent = beginUpload(server);
    const answered = new Promise<number | undefined>((resolve) => {
      sent.once('response', (response) => resolve(response.resume().statusCode));
    });
    for (let i = 0; i < 8; i++) sent.write(random.take(100_000));
    await expect.poll(async () => (await kept()).intakes).toBe(1);
    await sweepAssets(server.database.pool, new Date(server.clock.now.getTime() + 7_200_000));
    sent.end('\r\n--b--\r\n');
    expect(await answered).toBe(500);
    expect(await kept()).toEqual(before);
  });
});

const fileNamed = (field: string) => `--b\r\ncontent-disposition: form-data; name="${field}"; filename="a"\r\n\r\n`;

function beginUpload({ client }: RestServer, opening = fileNamed('files')) {
  const sent = request(`${client.url}/api/v20/assets`, {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  sent.on('error', () => undefined);
  sent.write(opening);
  return sent;
}

/** With `Transfer-Encoding: chunked`: the length is unknown in advance. */
function sendInPieces(to: RestServer, size: number, opening?: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = beginUpload(to, opening);
    sent.once('response', (response) => resolve(response.resume().statusCode));
    sent.write(random.take(size));
    sent.end('\r\n--b--\r\n');
  });
}
