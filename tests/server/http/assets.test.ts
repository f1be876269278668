import { createHash } from 'node:crypto';
import { operations } from '@tailgate/sync-protocol';
import { beforeAll, describe, expect, test } from 'vitest';
import { TestBytes } from '../../support/test-bytes.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';
import { download, keptOfUploads, samples, sendFiles, storeFiles } from '../../support/uploads.ts';

let server: RestServer;
const random = new TestBytes('assets');

beforeAll(async () => {
  server = await startRestServer();
});

const kept = () => keptOfUploads(server.database.pool);
const text = (words: string) => new Uint8Array(Buffer.from(words));

describe('upload (interface.md 4.2, contract §3)', () => {
  test('one file: its id is the primary id, and the bytes are read back unchanged', async () => {
    const bytes = random.take(300_000);
    const data = await server.client.take(operations.uploadAssets, { raw: form({ 'photo.bin': bytes }) });
    expect(data).toEqual({ id: data.ids[0], ids: [expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{16}$/)] });
    expect((await download(server.client, data.id)).bytes.equals(bytes)).toBe(true);
  });

  test('a batch: an id for each file, in upload order, each with its own bytes', async () => {
    const files = [3, 0, 700_000, 262_144, 1].map((size, i) => ({ name: `f${i}.bin`, bytes: random.take(size) }));
    const ids = await storeFiles(server.client, { files });
    expect(new Set(ids).size).toBe(5);
    for (const [i, id] of ids.entries())
      expect((await download(server.client, id)).bytes.equals(files[i]?.bytes ?? text(''))).toBe(true);
  });

  test('a primary id means its upload, a secondary id its own file (contract §3)', async () => {
    const ids = await storeFiles(server.client, {
      files: [
        { name: 'a.txt', bytes: text('first') },
        { name: 'b.txt', bytes: text('second') },
      ],
    });
    const [primary = '', secondary = ''] = ids;
    const listed = (asset_id: string) => server.client.take(operations.listAssetIds, { params: { asset_id } });
    expect(await listed(primary)).toEqual(ids);
    expect(await listed(secondary)).toEqual([secondary]);
    const urls = (asset_id: string) => server.client.take(operations.readAssetUrls, { params: { asset_id } });
    expect(await urls(primary)).toEqual([
      'data:text/plain;charset=utf-8;base64,Zmlyc3Q=',
      'data:text/plain;charset=utf-8;base64,c2Vjb25k',
    ]);
    expect(await urls(secondary)).toEqual(['data:text/plain;charset=utf-8;base64,c2Vjb25k']);
  });

  test('data URLs are exact over the edges of chunks, at any length (contract §3)', async () => {
    const files = [262_143, 262_144, 262_145, 600_001, 0].map((size) => ({ name: 'x', bytes: random.take(size) }));
    const [id = ''] = await storeFiles(server.client, { files });
    const response = await fetch(`${server.client.url}/api/v20/assets/${id}`);
    const body = await response.text();
    expect(Number(response.headers.get('content-length'))).toBe(body.length);
    const urls = operations.readAssetUrls.data.parse(readBody(body).data);
    const decoded = urls.map((url) =>
      Buffer.from(url.replace(/^data:application\/octet-stream;charset=utf-8;base64,/, ''), 'base64'),
    );
    expect(decoded.map((bytes, i) => bytes.equals(files[i]?.bytes ?? text('?')))).toEqual(files.map(() => true));
  });

  test('the type comes from the bytes, then the name, else unknown; never from the part’s header (contract §3)', async () => {
    const files = [
      { name: 'photo.txt', bytes: samples.jpeg, type: 'text/html' },
      { name: 'scan', bytes: samples.pdf },
      { name: 'list.csv', bytes: text('a,b\n1,2\n'), type: 'text/html' },
      { name: 'thing.unheard-of', bytes: text('?'), type: 'text/html' },
      { name: 'empty.png', bytes: text('') },
    ];
    const ids = await storeFiles(server.client, { files });
    const types = await Promise.all(
      ids.map(async (id) => (await download(server.client, id)).headers.get('content-type')),
    );
    expect(types).toEqual(['image/jpeg', 'application/pdf', 'text/csv', 'application/octet-stream', 'image/png']);
  });

  test.each([true, false])(
    'mimetypes overrides by file name, sent before the files: %s (interface.md 4.2)',
    async (mimetypesFirst) => {
      const ids = await storeFiles(server.client, {
        files: [
          { name: 'a b.jpg', bytes: samples.jpeg },
          { name: 'c.jpg', bytes: samples.jpeg },
        ],
        mimetypes: JSON.stringify({ 'a b.jpg': 'Application/X-Signature; v=1', 'nobody.jpg': 'image/png' }),
        mimetypesFirst,
      });
      const types = await Promise.all(
        ids.map(async (id) => (await download(server.client, id)).headers.get('content-type')),
      );
      expect(types).toEqual(['application/x-signature', 'image/jpeg']);
    },
  );

  test('mimetypes as a part with a type of its own is read, too (interface.md 4.2)', async () => {
    const raw = form({ 'a.dat': text('1') });
    raw.append('mimetypes', new Blob(['{"a.dat":"image/heic"}'], { type: 'application/json' }));
    const { id } = await server.client.take(operations.uploadAssets, { raw });
    expect((await download(server.client, id)).headers.get('content-type')).toBe('image/heic');
  });

  test.each([
    ['{nope', 'mimetypes'],
    ['[1]', 'mimetypes'],
    ['{"a.txt":1}', 'mimetypes.a.txt'],
    ['{"a.txt":"jpeg"}', 'mimetypes.a.txt'],
    ['{"a.txt":"text/html\\r\\nx-evil: 1"}', 'mimetypes.a.txt'],
    ['{"a.txt":"text/\\u0000html"}', 'mimetypes.a.txt'],
  ])('bad mimetypes %s: 400 that names %s, nothing stored (contract §3)', async (mimetypes, path) => {
    const before = await kept();
    const reply = await sendFiles(server.client, { files: [{ name: 'a.txt', bytes: text('x') }], mimetypes });
    expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path }] });
    expect(await kept()).toEqual(before);
  });

  test('no file: 400 that names the field; an empty file input is no file (contract §3)', async () => {
    const empty = new FormData();
    empty.append('mimetypes', '{}');
    const unchosen = new FormData();
    unchosen.append('files', new File([], ''));
    const unknownMedia = new FormData();
    unknownMedia.append('photo', new File(['x'], 'x.jpg'));
    for (const raw of [empty, unchosen, unknownMedia, new FormData()]) {
      const reply = await server.client.call(operations.uploadAssets, { raw });
      expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'files' }] });
    }
  });

  test('a body that is not a form: 415 (contract §3)', async () => {
    const send = (headers: Record<string, string>, raw: string) =>
      server.client.call(operations.uploadAssets, { headers, raw });
    expect((await send({ 'content-type': 'application/json' }, '{}')).error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect((await send({ 'content-type': 'image/jpeg' }, 'x')).error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect((await server.client.call(operations.uploadAssets)).error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  test.each([
    ['no boundary', 'multipart/form-data', 'x'],
    [
      'no end',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="files"; filename="a"\r\n\r\nabc',
    ],
    ['not a form', 'multipart/form-data; boundary=b', 'hello'],
    ['ended header', 'multipart/form-data; boundary=b', '--b\r\ncontent-disposition: form-data; name="files"'],
    [
      'prototype',
      'multipart/form-data; boundary=b',
      '--b\r\ncontent-disposition: form-data; name="__proto__"\r\n\r\nx\r\n--b--\r\n',
    ],
  ])('a broken form (%s): 400, nothing stored (contract §1)', async (_, type, raw) => {
    const before = await kept();
    const reply = await server.client.call(operations.uploadAssets, { headers: { 'content-type': type }, raw });
    expect(reply.error?.code).toBe('VALIDATION_FAILED');
    expect(await kept()).toEqual(before);
  });

  test('NUL in a file name: 400 (contract §1)', async () => {
    const raw = `--b\r\ncontent-disposition: form-data; name="files"; filename*=UTF-8''a%00b\r\n\r\nabc\r\n--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const reply = await server.client.call(operations.uploadAssets, { headers, raw });
    expect(reply.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'files.0' }] });
  });
});

describe('raw download (contract §3)', () => {
  const bytes = random.take(600_000);
  let id = '';
  let etag = '';

  beforeAll(async () => {
    [id = ''] = await storeFiles(server.client, { files: [{ name: 'Lieferschein Zoë 😀.pdf', bytes }] });
    etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
  });

  test('attachment with the original name, nosniff, strong ETag, private and immutable', async () => {
    const { status, headers } = await download(server.client, id);
    expect(status).toBe(200);
    expect(headers.get('content-disposition')).toMatch(
      /^attachment; filename="[ -~]+"; filename\*=UTF-8''Lieferschein%20Zo%C3%AB%20%F0%9F%98%80\.pdf$/,
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('etag')).toBe(etag);
    expect(headers.get('cache-control')).toMatch(/^private,.*\bimmutable\b/);
    expect(headers.get('accept-ranges')).toBe('bytes');
    expect(headers.get('content-length')).toBe('600000');
  });

  test.each([
    ['bytes=0-0', 0, 1],
    ['bytes=262143-262144', 262_143, 262_145],
    ['bytes=100-', 100, 600_000],
    ['bytes=-5', 599_995, 600_000],
    ['bytes=599999-9999999', 599_999, 600_000],
    ['bytes=-9999999', 0, 600_000],
  ])('%s: 206 with that part', async (range, start, end) => {
    const part = await download(server.client, id, { headers: { range } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/600000`);
    expect(part.headers.get('content-length')).toBe(String(end - start));
    expect(part.bytes.equals(bytes.subarray(start, end))).toBe(true);
  });

  test.each(['bytes=600000-', 'bytes=700000-800000', 'bytes=-0'])('%s: 416 with the size', async (range) => {
    const reply = await download(server.client, id, { headers: { range } });
    expect(reply.status).toBe(416);
    expect(reply.headers.get('content-range')).toBe('bytes */600000');
    expect(reply.bytes.length).toBe(0);
  });

  test.each(['bytes=0-1,5-6', 'lines=0-1', 'bytes=x-y', 'bytes=5-1x', 'bytes=9-5', 'bytes=-'])(
    '%s means all of it',
    async (range) => {
      const reply = await download(server.client, id, { headers: { range } });
      expect([reply.status, reply.bytes.length]).toEqual([200, 600_000]);
    },
  );

  test('If-None-Match with the current tag: 304 without a body; with another tag: 200', async () => {
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const reply = await download(server.client, id, { headers: { 'if-none-match': known } });
      expect([known, reply.status, reply.bytes.length]).toEqual([known, 304, 0]);
      expect(reply.headers.get('etag')).toBe(etag);
      expect(reply.headers.get('cache-control')).toContain('immutable');
    }
    expect((await download(server.client, id, { headers: { 'if-none-match': '"x"' } })).status).toBe(200);
  });

  test('If-Range with the current tag: the requested range, else all of it', async () => {
    const ask = (condition: string) =>
      download(server.client, id, { headers: { range: 'bytes=0-9', 'if-range': condition } });
    expect((await ask(etag)).status).toBe(206);
    for (const other of ['"x"', `W/${etag}`, 'Sat, 21 Nov 2026 10:00:00 GMT'])
      expect((await ask(other)).status).toBe(200);
  });

  test('HEAD: the headers of GET and no body, for any range', async () => {
    const get = await download(server.client, id);
    const head = await download(server.client, id, { method: 'HEAD', headers: { range: 'bytes=0-9' } });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    for (const name of [
      'etag',
      'content-length',
      'content-type',
      'content-disposition',
      'cache-control',
      'accept-ranges',
    ])
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
  });

  test('an empty file is a file; a range of it is all of it', async () => {
    const [empty = ''] = await storeFiles(server.client, { files: [{ name: 'empty.txt', bytes: text('') }] });
    for (const headers of [{}, { range: 'bytes=0-' }]) {
      const reply = await download(server.client, empty, { headers });
      expect([reply.status, reply.bytes.length, reply.headers.get('content-length')]).toEqual([200, 0, '0']);
    }
    const urls = await server.client.take(operations.readAssetUrls, { params: { asset_id: empty } });
    expect(urls).toEqual(['data:text/plain;charset=utf-8;base64,']);
  });

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\temp\\photo.jpg', 'photo.jpg'],
    ['a"; filename="b.html', 'a%22; filename=%22b.html'],
    ['x\r\nset-cookie: a=b.txt', 'x%0D%0Aset-cookie: a=b.txt'],
    ['\u202egpj.exe', 'gpj.exe'],
    [`${'n'.repeat(400)}.jpeg`, `${'n'.repeat(250)}.jpeg`],
  ])('a hostile name %j is served as %j and breaks no header', async (name, served) => {
    const [named = ''] = await storeFiles(server.client, { files: [{ name, bytes: text('x') }] });
    const { headers } = await download(server.client, named);
    const disposition = headers.get('content-disposition') ?? '';
    const extended = /filename\*=UTF-8''(\S+)$/.exec(disposition)?.[1];
    const plain = /filename="?([^"]*)"?$/.exec(disposition)?.[1] ?? '';
    expect(extended ? decodeURIComponent(extended) : plain).toBe(served);
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('a file without a name is served under its id', async () => {
    const raw = '--b\r\ncontent-disposition: form-data; name="files"; filename=""\r\n\r\nabc\r\n--b--\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const data = await server.client.take(operations.uploadAssets, { headers, raw });
    expect((await download(server.client, data.id)).headers.get('content-disposition')).toBe(
      `attachment; filename=${data.id}.bin`,
    );
  });
});

describe('ids (contract §3)', () => {
  test.each([operations.downloadAsset, operations.readAssetUrls, operations.listAssetIds])(
    '$path: unknown 404, malformed 400',
    async (operation) => {
      const ask = async (asset_id: string) => (await server.client.call(operation, { params: { asset_id } })).error;
      for (const id of ['0123456789ABCDEF', 'abcdefghijklmnop', 'ZZZZZZZZZZZZZZZZ'])
        expect((await ask(id))?.code).toBe('ASSET_NOT_FOUND');
      for (const id of ['short', '0123456789ABCDEFG', '0123456789ABCDE%2F', "0123456789'--%20x"])
        expect(await ask(id)).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'asset_id' }] });
    },
  );

  test('a file that a stop names and that has not arrived is 404', async () => {
    await server.database.pool.query(
      `insert into asset (id, batch, state, expected_at) values ('WAITEDFORWAITED1', 'WAITEDFORWAITED1', 'L', now())`,
    );
    for (const operation of [operations.downloadAsset, operations.readAssetUrls, operations.listAssetIds])
      expect((await server.client.call(operation, { params: { asset_id: 'WAITEDFORWAITED1' } })).error?.code).toBe(
        'ASSET_NOT_FOUND',
      );
  });

  test('the unprefixed set has no assets: 404 (interface.md 4.2)', async () => {
    for (const [method, path] of [
      ['GET', '/assets/raw/0123456789ABCDEF'],
      ['GET', '/assets/0123456789ABCDEF'],
      ['GET', '/assets/ids/0123456789ABCDEF'],
      ['POST', '/assets'],
    ] as const)
      expect((await server.client.send(method, `/api${path}`)).error?.code).toBe('NOT_FOUND');
  });
});

describe('access (contract §8)', () => {
  test('strict: files are for drivers', async () => {
    const strict = await startRestServer({ database: server.database, access: 'strict' });
    const files = [{ name: 'a.txt', bytes: text('x') }];
    expect((await sendFiles(strict.client, { files })).error?.code).toBe('MISSING_CREDENTIALS');
    await insertEmployees(server.database.pool, ['1001']);
    const as = await signUp(strict.client, '1001');
    const [id = ''] = await storeFiles(strict.client, { files, as });
    expect((await download(strict.client, id)).status).toBe(401);
    expect((await download(strict.client, id, { headers: { ...as } })).bytes.toString()).toBe('x');
  });
});

function form(files: Record<string, Uint8Array<ArrayBuffer>>): FormData {
  const made = new FormData();
  for (const [name, bytes] of Object.entries(files)) made.append('files', new File([bytes], name));
  return made;
}

const readBody: (text: string) => { data: unknown } = JSON.parse;
