import { operations } from '@tailgate/sync-protocol';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fileReader } from '../../../server/src/assets/file-bytes.ts';
import { moveToObjects, moveToRows, type MoveDeps } from '../../../server/src/assets/objects/move.ts';
import { readPlace, type Place } from '../../../server/src/assets/objects/owner.ts';
import type { S3Store } from '../../../server/src/object-store/s3-store.ts';
import { findAsset } from '../../../server/src/assets/queries.ts';
import { withTransaction } from '../../../server/src/db/transaction.ts';
import { StorageUnavailable } from '../../../server/src/db/unavailable.ts';
import { KillableProcess, unlessKilled } from '../../support/killable-process.ts';
import { TestStore, type Fault } from '../../support/object-store.ts';
import { insertEmployees, signUp } from '../../support/people.ts';
import type { Signed } from '../../support/rest-client.ts';
import { startSyncNode, type SyncNode } from '../../support/sync-node.ts';
import { TestBytes } from '../../support/test-bytes.ts';
import { deviceAssetId, deviceMetadata, TusPhone } from '../../support/tus-phone.ts';
import { download, keptOfUploads, sendFiles, storeFiles } from '../../support/uploads.ts';

const salt = 'a-salt-of-this-queue';
const mebibyte = 1024 * 1024;
const random = new TestBytes('objects');

let bucket: TestStore;
let store: S3Store;
let node: SyncNode;
let anna: Signed;
let place: Place;

beforeAll(async () => {
  bucket = await TestStore.start();
  store = bucket.open({ connectMs: 20_000, silenceMs: 20_000 });
  node = await startSyncNode({ store });
  await insertEmployees(node.database.pool, ['1001']);
  anna = await signUp(node.client, '1001');
  place = await readPlace(node.database.pool);
});

beforeEach(() => {
  bucket.fault = () => undefined;
  // A store that was away rests for half a minute.
  node.clock.now = new Date(node.clock.now.getTime() + 60_000);
});

const chunks = async () => (await keptOfUploads(node.database.pool)).chunks;
const bytesOf = async (id: string) => (await download(node.client, id, { headers: { ...anna } })).bytes;
const upload = async (bytes: Uint8Array<ArrayBuffer>) => {
  const [id = ''] = await storeFiles(node.client, { files: [{ name: 'photo.bin', bytes }], as: anna });
  return id;
};
const objectOf = async (id: string, { database } = node) => {
  const { rows } = await database.pool.query<{ object: string | null }>('select object from asset where id = $1', [id]);
  return rows[0]?.object;
};
const moving = ({ database, clock, log } = node, through = store): MoveDeps => ({
  db: database.pool,
  inTransaction: (work) => withTransaction(database.pool, work),
  store: through,
  prefix: place.prefix,
  clock: () => clock.now,
  log,
});
const gone = async () => {
  const { rows } = await node.database.pool.query<{ object: string }>(
    'select object from asset_gone_object order by 1',
  );
  return rows.map(({ object }) => object);
};

describe('a file in the store', () => {
  test('is an object below cell, PostgreSQL and epoch, and no row has its bytes', async () => {
    const bytes = random.take(400_000);
    const id = await upload(bytes);
    const key = await objectOf(id);
    expect(key).toMatch(/^public\/\d+\/1\/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(await bucket.keys()).toContain(key);
    expect(await chunks()).toBe(0);
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
  });

  test('is read in parts, as a data URL, and by its headers alone', async () => {
    const bytes = random.take(300_000);
    const id = await upload(bytes);
    const part = await download(node.client, id, { headers: { ...anna, range: 'bytes=1000-200999' } });
    expect(part.status).toBe(206);
    expect(part.bytes.equals(bytes.subarray(1_000, 201_000))).toBe(true);
    const before = bucket.requests.length;
    expect(
      (await download(node.client, id, { method: 'HEAD', headers: { ...anna } })).headers.get('content-length'),
    ).toBe('300000');
    expect(bucket.requests.length).toBe(before);
    const [url = ''] = await node.client.take(operations.readAssetUrls, { params: { asset_id: id }, as: anna });
    expect(Buffer.from(url.split(',')[1] ?? '', 'base64').equals(bytes)).toBe(true);
  });

  test('comes from a phone in one request', async () => {
    const bytes = random.take(500_000);
    const phone = new TusPhone(node.client.url, { ...anna });
    await phone.create(bytes.length, deviceMetadata(salt, bytes));
    const id = deviceAssetId(salt, bytes);
    expect((await phone.patch(id, 0, bytes)).status).toBe(204);
    expect(await objectOf(id)).toEqual(expect.stringContaining(place.prefix));
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
    expect(await keptOfUploads(node.database.pool)).toMatchObject({ chunks: 0, intakes: 0 });
  });

  test('whose bytes are not those of its id is neither stored nor put', async () => {
    const [announced, sent] = [random.take(1_000), random.take(1_000)];
    const phone = new TusPhone(node.client.url, { ...anna });
    await phone.create(announced.length, deviceMetadata(salt, announced));
    const before = await bucket.keys();
    expect((await phone.patch(deviceAssetId(salt, announced), 0, sent)).status).toBe(460);
    expect(await bucket.keys()).toEqual(before);
  });

  test('an empty one is a row alone', async () => {
    const id = await upload(new Uint8Array(0));
    expect(await objectOf(id)).toBeNull();
    expect((await bytesOf(id)).length).toBe(0);
  });
});

describe('a file that comes in pieces, or is large', () => {
  test('is in rows at first, and moves into the store with all bytes', async () => {
    const bytes = random.take(700_000);
    const phone = new TusPhone(node.client.url, { ...anna });
    await phone.create(bytes.length, deviceMetadata(salt, bytes));
    const id = deviceAssetId(salt, bytes);
    await phone.patch(id, 0, bytes.slice(0, 300_000));
    await phone.patch(id, 300_000, bytes.slice(300_000));
    const large = await upload(random.take(6 * mebibyte));
    expect([await objectOf(id), await objectOf(large)]).toEqual([null, null]);
    const before = await bytesOf(large);
    expect(await moveToObjects(moving())).toEqual({ files: 2, bytes: 700_000 + 6 * mebibyte, damaged: [] });
    expect(await chunks()).toBe(0);
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
    expect((await bytesOf(large)).equals(before)).toBe(true);
  });

  test('is read to its end where it moves meanwhile, there and back', async () => {
    bucket.fault = () => 'busy';
    const bytes = random.take(2 * mebibyte);
    const id = await upload(bytes);
    bucket.fault = () => undefined;
    const file = await findAsset(node.database.pool, id);
    if (!file) throw new Error('the file is stored');
    const read = fileReader(node.database.pool, store)(file);
    const pieces = [(await read.next()).value ?? Buffer.alloc(0)];
    await moveToObjects(moving());
    for await (const piece of read) pieces.push(piece);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    const stale = await findAsset(node.database.pool, id);
    await moveToRows(moving());
    await store.delete([stale?.object ?? '']);
    const again: Buffer[] = [];
    if (stale) for await (const piece of fileReader(node.database.pool, store)(stale)) again.push(piece);
    expect(Buffer.concat(again).equals(bytes)).toBe(true);
  });

  test('does not move where its rows are damaged, and the others do', async () => {
    bucket.fault = () => 'busy';
    const [damaged, sound] = [await upload(random.take(10_000)), await upload(random.take(10_000))];
    bucket.fault = () => undefined;
    await node.database.pool.query(
      `update asset_chunk set data = 'other' where content = (select content from asset where id = $1)`,
      [damaged],
    );
    expect(await moveToObjects(moving())).toMatchObject({ damaged: [damaged] });
    expect([await objectOf(damaged), typeof (await objectOf(sound))]).toEqual([null, 'string']);
    await node.database.pool.query(`update asset set state = 'M', content = null, sha256 = null where id = $1`, [
      damaged,
    ]);
  });

  test('moves back into rows, and its object waits for its deletion', async () => {
    const bytes = random.take(1_200_000);
    const id = await upload(bytes);
    const key = await objectOf(id);
    const { damaged } = await moveToRows(moving());
    expect(damaged).toEqual([]);
    expect(await objectOf(id)).toBeNull();
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
    expect(await gone()).toContain(key);
    expect(await bucket.keys()).toContain(key);
    await moveToObjects(moving());
  });
});

test.each([
  ['into the store', moveToObjects],
  ['into rows', moveToRows],
])('a file whose move %s is killed at any statement has all bytes at one place', async (_where, move) => {
  // All other files are there already.
  await move(moving());
  const bytes = random.take(600_000);
  bucket.fault = () => (move === moveToObjects ? 'busy' : undefined);
  const id = await upload(bytes);
  bucket.fault = () => undefined;
  const { pool } = node.database;
  const chunksOf = async () =>
    (await pool.query('select from asset_chunk where content = (select content from asset where id = $1)', [id]))
      .rowCount;
  const before = await objectOf(id);
  for (let steps = 0, isKilled = true; isKilled; steps++) {
    const process = new KillableProcess(steps);
    await move({
      ...moving(),
      db: process.database(pool),
      inTransaction: (work) => withTransaction(pool, (tx) => work({ ...process.database(tx), inTransaction: true })),
    }).catch(unlessKilled);
    isKilled = process.isKilled;
    expect((await bytesOf(id)).equals(bytes)).toBe(true);
    expect(await chunksOf()).toBe((await objectOf(id)) === null ? 3 : 0);
  }
  expect([typeof before, typeof (await objectOf(id))].toSorted()).toEqual(['object', 'string']);
  await moveToObjects(moving());
});

describe('while the store fails', () => {
  test.each(['busy', 'cut'] as const)('%s: a file is accepted into rows, and moves later', async (fault) => {
    expect(await acceptIntoRows(fault, { on: node, as: anna, through: store })).toEqual(bothMoved);
  });

  test('silent: a file is accepted into rows, and moves later', async () => {
    const through = bucket.open({ connectMs: 500, silenceMs: 500 });
    const on = await startSyncNode({ store: through });
    await insertEmployees(on.database.pool, ['1001']);
    const as = await signUp(on.client, '1001');
    expect(await acceptIntoRows('silent', { on, as, through })).toEqual(bothMoved);
  });

  test('the next uploads do not wait for it', async () => {
    bucket.fault = () => 'busy';
    await upload(random.take(1_000));
    const before = bucket.requests.length;
    await upload(random.take(1_000));
    expect(bucket.requests.length).toBe(before);
    bucket.fault = () => undefined;
    await moveToObjects(moving());
  });

  test('a request that repeats an upload under its key gets the same ids', async () => {
    const file = {
      files: [{ name: 'a.bin', bytes: random.take(5_000) }],
      as: anna,
      headers: { 'idempotency-key': 'once' },
    };
    const [first, second] = [await sendFiles(node.client, file), await sendFiles(node.client, file)];
    expect([first.status, second.data]).toEqual([200, first.data]);
  });

  test('a file cannot be read for now: 503 with Retry-After', async () => {
    const id = await upload(random.take(1_000));
    bucket.fault = () => 'busy';
    const { status, headers } = await download(node.client, id, { headers: { ...anna } });
    expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)]);
  });

  test('an answer that breaks off reaches no reader as a whole file', async () => {
    const id = await upload(random.take(900_000));
    bucket.fault = ({ method }) => (method === 'GET' ? 'cut' : undefined);
    const whole = download(node.client, id, { headers: { ...anna } }).then(({ bytes }) => bytes.length);
    await expect(whole).rejects.toThrow('terminated');
  });

  test('a file whose object is gone is an error, not an empty file', async () => {
    const id = await upload(random.take(1_000));
    await store.delete([(await objectOf(id)) ?? '']);
    const { status, headers, bytes } = await download(node.client, id, { headers: { ...anna } });
    expect(status).toBe(500);
    expect(JSON.parse(bytes.toString())).toMatchObject({ success: false, error: { code: 'INTERNAL' } });
    expect(headers.get('cache-control')).toBe('no-store');
  });
});

const bothMoved = { files: 2, whole: [true, true] };

/**
 * Uploads a form and a photo of a phone while the store fails, and moves both afterwards.
 * @param through the client of the store while it fails; the move takes the patient one
 */
async function acceptIntoRows(
  fault: Fault,
  { on, as, through }: { on: SyncNode; as: Signed; through: S3Store },
): Promise<{ files: number; whole: boolean[] }> {
  bucket.fault = ({ method }) => (method === 'PUT' ? fault : undefined);
  const bytes = random.take(200_000);
  const [id = ''] = await storeFiles(on.client, { files: [{ name: 'photo.bin', bytes }], as });
  expect(await objectOf(id, on)).toBeNull();
  const stored = async (asset: string): Promise<Buffer> => {
    const file = await findAsset(on.database.pool, asset);
    if (!file) throw new Error(`${asset} is not stored`);
    const pieces: Buffer[] = [];
    for await (const piece of fileReader(on.database.pool, store)(file)) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  expect((await stored(id)).equals(bytes)).toBe(true);
  const phone = new TusPhone(on.client.url, { ...as });
  const photo = random.take(150_000);
  await phone.create(photo.length, deviceMetadata(salt, photo));
  expect((await phone.patch(deviceAssetId(salt, photo), 0, photo)).status).toBe(204);
  await expect(moveToObjects(moving(on, through))).rejects.toThrow(StorageUnavailable);
  bucket.fault = () => undefined;
  const { files } = await moveToObjects(moving(on));
  const whole = [(await stored(id)).equals(bytes), (await stored(deviceAssetId(salt, photo))).equals(photo)];
  return { files, whole };
}
