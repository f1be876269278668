import { beforeAll, describe, expect, test } from 'vitest';
import { parseStoreAddress, type StoreAddress } from '../../../server/src/setting-values.ts';
import { readPlace } from '../../../server/src/assets/objects/owner.ts';
import { requireStore } from '../../../server/src/app-files.ts';
import { openObjectStore } from '../../../server/src/object-store/open.ts';
import { parseOpsCommand, runOpsCommand } from '../../../server/src/ops/commands/cli.ts';
import { ensureEpoch } from '../../../server/src/db/epoch.ts';
import { TestStore } from '../../support/object-store.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { startRestServer, type RestServer } from '../../support/rest-server.ts';
import { TestBytes } from '../../support/test-bytes.ts';
import { download, storeFiles } from '../../support/uploads.ts';

let bucket: TestStore;
let rows: RestServer;
let objectStore: StoreAddress;
const random = new TestBytes('files commands');
const log = recordedLog();

beforeAll(async () => {
  bucket = await TestStore.start();
  rows = await startRestServer();
  await ensureEpoch(rows.database.pool);
  objectStore = addressOf(bucket.url);
});

const run = (...argv: string[]) =>
  runOpsCommand(parseOpsCommand(['files', ...argv]), rows.database.pool, {
    autocloseSeconds: 600,
    keyFile: '',
    objectStore,
  });

function addressOf(url: string): StoreAddress {
  const address = parseStoreAddress(url);
  if (!address) throw new Error(`no address of a store: ${url}`);
  return address;
}

describe('npm run ops -- files', () => {
  test('moves all files into the store and back, and says where they are', async () => {
    expect(await run()).toBe('No file is stored yet.');
    const photos = [random.take(700_000), random.take(300_000)];
    const ids = await storeFiles(rows.client, { files: photos.map((bytes) => ({ name: 'a.bin', bytes })) });
    expect(await run()).toBe('rows: 2 files, 1.0 MB');
    expect(await run('to-objects')).toBe('2 files (1.0 MB) have moved into the store.');
    expect(await run('to-objects')).toBe('0 files (0.0 MB) have moved into the store.');
    const { prefix } = await readPlace(rows.database.pool);
    expect(await run()).toBe(`objects below ${prefix} (ours): 2 files, 1.0 MB`);
    await expect(requireStore(rows.database.pool, undefined)).rejects.toThrow(
      'files of this database are objects of a store: set S3_URL, or move them back first',
    );
    expect(await run('to-rows')).toBe('2 files (1.0 MB) have moved into the database.');
    expect(await run()).toBe(`rows: 2 files, 1.0 MB\nwaiting for their deletion below ${prefix} (ours): 2 objects`);
    await requireStore(rows.database.pool, undefined);
    for (const [i, id] of ids.entries())
      expect((await download(rows.client, id)).bytes.equals(photos[i] ?? new Uint8Array())).toBe(true);
  });

  test('continues where it was stopped', async () => {
    await storeFiles(rows.client, { files: [1, 2, 3].map((n) => ({ name: `${n}`, bytes: random.take(1_000 * n) })) });
    let puts = 0;
    bucket.fault = ({ method }) => (method === 'PUT' && ++puts > 2 ? 'busy' : undefined);
    await expect(run('to-objects')).rejects.toThrow('the object store does not answer');
    bucket.fault = () => undefined;
    expect(await run()).toMatch(/^rows: 3 files, .*\nobjects below .*: 2 files/);
    expect(await run('to-objects')).toMatch(/^3 files /);
  });

  test('takes over only a place where this database has files', async () => {
    await expect(run('adopt', 'public/1/1/')).rejects.toThrow('no file of this database begins with public/1/1/');
    const { prefix } = await readPlace(rows.database.pool);
    expect(await run('adopt', prefix)).toContain(`deletes objects below ${prefix} from now on`);
  });

  test.each([[['adopt']], [['to-objects', 'now']], [['elsewhere']]])('%j is explained', (argv) => {
    expect(() => parseOpsCommand(['files', ...argv])).toThrow('npm run ops -- files');
  });
});

describe('the start', () => {
  test('ends where the store has no such bucket', async () => {
    const opening = openObjectStore({ ...objectStore, bucket: 'another' }, log);
    await expect(opening).rejects.toThrow('S3_URL: the bucket another does not exist');
  });

  test('ends where the store refuses the credentials, and names no secret', async () => {
    const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'hunter2' };
    bucket.fault = () => 'barred';
    const opening = openObjectStore({ ...objectStore, credentials }, log);
    await expect(opening).rejects.toThrow(/^S3_URL: the credentials do not open the bucket photos$/);
    bucket.fault = () => undefined;
  });

  test('goes on where the store does not answer', async () => {
    bucket.fault = () => 'busy';
    const store = await openObjectStore(objectStore, log);
    bucket.fault = () => undefined;
    expect(store).toBeDefined();
    expect(log.lines.at(-1)?.message).toBe(
      'the object store does not answer: new files go into the database and move later',
    );
    store?.close();
  });
});

test.each([
  ['http://127.0.0.1:9000/photos', { endpoint: 'http://127.0.0.1:9000', bucket: 'photos', region: 'us-east-1' }],
  [
    'https://s3.example/pod.files/?region=eu-1',
    { endpoint: 'https://s3.example', bucket: 'pod.files', region: 'eu-1' },
  ],
  [
    'https://KEY:a%2Fb@s3.example/photos',
    { endpoint: 'https://s3.example', credentials: { accessKeyId: 'KEY', secretAccessKey: 'a/b' } },
  ],
])('S3_URL=%s', (url, address) => {
  expect(parseStoreAddress(url)).toMatchObject(address);
});

test.each([
  'ftp://s3.example/photos',
  'https://s3.example/',
  'https://s3.example/photos/below',
  'https://KEY@s3.example/photos',
  'https://s3.example/photos?acl=public',
])('S3_URL=%s is no address of a bucket', (url) => {
  expect(parseStoreAddress(url)).toBeUndefined();
});
