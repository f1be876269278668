import { createHash } from 'node:crypto';
import type { FileSource, UploadsOptions } from '@tailgate/client-sdk/uploads';
import { MemoryFiles, openUploads } from '@tailgate/client-sdk/uploads';
import { expect, test } from 'vitest';
import { TestBytes } from '../support/test-bytes.ts';

const random = new TestBytes('what files are added as');
const photo = { kind: 'photo', employee: '1001' } as const;

async function open(options: Partial<UploadsOptions> = {}) {
  const store = new MemoryFiles();
  const uploads = await openUploads({ store, ...options });
  const stored = async (): Promise<unknown> => (await store.files())[0]?.value;
  return { uploads, stored };
}

/** A file of the platform, with a record of its reads. */
function fileOf(bytes: Uint8Array<ArrayBuffer>) {
  const asked: string[] = [];
  const source: FileSource = {
    size: bytes.length,
    read: async (start, end) => {
      asked.push(`${start}–${end}`);
      return bytes.slice(start, end);
    },
    close: () => asked.push('closed'),
  };
  return { source, asked };
}

test('a file is read in pieces from its address, and the hash of the app gets each piece', async () => {
  const bytes = random.take(600_000);
  const { source, asked } = fileOf(bytes);
  const hashed: number[] = [];
  const { uploads, stored } = await open({
    openFile: (uri) => (uri === 'file:///door.jpg' ? source : Promise.reject(new Error(uri))),
    sha256: () => {
      const hash = createHash('sha256');
      return { update: (piece) => hashed.push(hash.update(piece) && piece.length), digest: () => hash.digest() };
    },
  });
  const { id } = await uploads.add({ uri: 'file:///door.jpg' }, photo);
  expect(asked).toEqual(['0–262144', '262144–524288', '524288–600000', 'closed']);
  expect(hashed).toEqual([262_144, 262_144, 75_712]);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(await stored()).toMatchObject({ id, size: 600_000, pieces: 3, sha256 });
});

test('equal bytes are one file, independent of the kind of input', async () => {
  const bytes = random.take(300_000);
  const { uploads } = await open({ openFile: () => fileOf(bytes).source });
  const ids = [];
  for (const input of [bytes, new Blob([bytes]), { uri: 'file:///same' }])
    ids.push((await uploads.add(input, photo)).id);
  expect(new Set(ids).size).toBe(1);
});

test('a photo is stored in the reduced form of the app, and unchanged where the reduction fails', async () => {
  const [large, small] = [random.take(1_000), random.take(10)];
  const options: unknown[] = [];
  const shrunk = await open({
    photos: { longestSide: 640 },
    resizePhoto: async (_photo, asked) => {
      options.push(asked);
      return small;
    },
  });
  await shrunk.uploads.add(large, photo);
  expect(await shrunk.stored()).toMatchObject({ size: 10 });
  expect(options).toEqual([{ longestSide: 640, quality: 0.8, maxBytes: 1_000_000 }]);
  await shrunk.uploads.add(large, { ...photo, kind: 'signature' });
  expect(options).toHaveLength(1);

  const failing = await open({ resizePhoto: () => Promise.reject(new Error('out of memory')) });
  await failing.uploads.add(large, photo);
  expect(await failing.stored()).toMatchObject({ size: 1_000 });
});

test('an address that cannot be opened, and a file that is shorter than its size, are refused', async () => {
  const { uploads, stored } = await open();
  await expect(uploads.add({ uri: 'file:///door.jpg' }, photo)).rejects.toThrow('needs the option openFile');
  const { source, asked } = fileOf(random.take(100));
  const short = await open({ openFile: () => ({ ...source, size: 200 }) });
  await expect(short.uploads.add({ uri: 'x' }, photo)).rejects.toThrow('100 bytes came for those from 0 to 200');
  expect(asked.at(-1)).toBe('closed');
  expect([await stored(), await short.stored()]).toEqual([undefined, undefined]);
});
