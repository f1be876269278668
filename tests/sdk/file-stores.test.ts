import { join } from 'node:path';
import { encryptedFiles, WrongKey } from '@tailgate/client-sdk/encrypted';
import { openSqliteFiles } from '@tailgate/client-sdk/sqlite';
import { MemoryFiles, openIndexedDbFiles } from '@tailgate/client-sdk/uploads';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { describe, expect, test, vi } from 'vitest';
import type { FilesDeps } from '../support/file-store-conformance.ts';
import { fileStoreConforms } from '../support/file-store-conformance.ts';
import { sqlPlatforms } from '../support/sql-platforms.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.stubGlobal('IDBKeyRange', IDBKeyRange);

const inMemory = (): FilesDeps => {
  const store = new MemoryFiles();
  return { open: async () => store };
};
const inIndexedDb = (): FilesDeps => {
  const indexedDB = new IDBFactory();
  return { open: () => openIndexedDbFiles('files', indexedDB) };
};
const inSqlite = async (platform: keyof typeof sqlPlatforms): Promise<FilesDeps> => {
  const file = join(await temporaryFolder(), 'files.db');
  return { open: () => openSqliteFiles(sqlPlatforms[platform](file)) };
};
const newKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);
const encrypted = async ({ open }: FilesDeps): Promise<FilesDeps> => {
  const key = await newKey();
  return { open: async () => encryptedFiles(await open(), key) };
};

// A new adapter is one entry here.
describe('files in memory', () => {
  fileStoreConforms(inMemory);
});
describe('files in IndexedDB', () => {
  fileStoreConforms(inIndexedDb);
});
describe('files in SQLite', () => {
  fileStoreConforms(() => inSqlite('node'));
});
describe('files in SQLite, by the calls of Expo', () => {
  fileStoreConforms(() => inSqlite('expo'));
});
describe('files in SQLite, by the calls of op-sqlite', () => {
  fileStoreConforms(() => inSqlite('opSqlite'));
});
describe('encrypted files in IndexedDB', () => {
  fileStoreConforms(() => encrypted(inIndexedDb()));
});
describe('encrypted files in SQLite', () => {
  fileStoreConforms(async () => encrypted(await inSqlite('node')));
});

describe('encryption of files', () => {
  const name = 'signature of Kim';
  const photo = new Uint8Array(Buffer.from('what the photo shows '.repeat(100)));

  test('neither bytes nor names are readable in the inner store', async () => {
    const inner = new MemoryFiles();
    await (await encryptedFiles(inner, await newKey())).put('A', { name }, [photo]);
    expect(JSON.stringify(await inner.files())).not.toContain(name);
    expect(Buffer.from((await inner.piece('A', 0)) ?? []).includes('photo')).toBe(false);
  });

  test('no file is encrypted while a page may write one in the open', async () => {
    const inner = new MemoryFiles();
    await inner.put('A', { name }, [photo]);
    const alone = () => Promise.reject(new Error('in use'));
    await expect(encryptedFiles(inner, await newKey(), { alone })).rejects.toThrow('in use');
    expect(await inner.files()).toEqual([{ key: 'A', value: { name } }]);
  });

  test('a file is encrypted once, where two pages begin at the same time', async () => {
    const [key, inner] = [await newKey(), new MemoryFiles()];
    await inner.put('A', { name }, [photo]);
    const before = await inner.files();
    const first = await encryptedFiles(inner, key);
    // The second page has read before the first one wrote.
    vi.spyOn(inner, 'files').mockResolvedValueOnce(before);
    for (const store of [first, await encryptedFiles(inner, key)]) expect(await store.piece('A', 0)).toEqual(photo);
  });

  test('unencrypted files are encrypted on first use, and after an interruption on the next use', async () => {
    const inner = new MemoryFiles();
    const key = await newKey();
    for (const id of ['A', 'B', 'C']) await inner.put(id, { name }, [photo, photo]);
    const put = vi.spyOn(inner, 'put').mockImplementation(async (...args) => {
      if (put.mock.calls.length === 2) throw new Error('the app was killed');
      return MemoryFiles.prototype.put.apply(inner, args);
    });
    await expect(encryptedFiles(inner, key)).rejects.toThrow('killed');
    put.mockRestore();
    const store = await encryptedFiles(inner, key);
    expect(JSON.stringify(await inner.files())).not.toContain(name);
    expect(await store.files()).toEqual(['A', 'B', 'C'].map((id) => ({ key: id, value: { name } })));
    for (const id of ['A', 'B', 'C']) expect(await store.piece(id, 1)).toEqual(photo);
  });

  test('another key raises an error and changes nothing', async () => {
    const inner = new MemoryFiles();
    const key = await newKey();
    await (await encryptedFiles(inner, key)).put('A', { name }, [photo]);
    await expect(encryptedFiles(inner, await newKey())).rejects.toThrow(WrongKey);
    expect(await (await encryptedFiles(inner, key)).piece('A', 0)).toEqual(photo);
  });

  test('bytes that were replaced by others count as missing', async () => {
    const inner = new MemoryFiles();
    const store = await encryptedFiles(inner, await newKey());
    await store.put('A', { name }, [photo, photo.slice(5)]);
    const second = (await inner.piece('A', 1)) ?? new Uint8Array();
    const facts = (await inner.files()).find(({ key }) => key === 'A');
    await inner.put('A', facts?.value, [second]);
    expect(await store.piece('A', 0)).toBeUndefined();
    expect(await store.piece('A', 1)).toEqual(photo.slice(5));
  });
});
