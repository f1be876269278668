import { join } from 'node:path';
import { encryptedFiles, WrongKey } from '@tailgate/client-sdk/encrypted';
import { openSqliteFiles } from '@tailgate/client-sdk/sqlite';
import { MemoryFiles, openIndexedDbFiles } from '@tailgate/client-sdk/uploads';
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { describe, expect, test, vi } from 'vitest';
import type { FilesDeps } from '../support/file-store-conformance.ts';
import { keepsFiles } from '../support/file-store-conformance.ts';
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
const lockedAway = async ({ open }: FilesDeps): Promise<FilesDeps> => {
  const key = await newKey();
  return { open: async () => encryptedFiles(await open(), key) };
};

// A new adapter is one entry here.
describe('files in memory', () => {
  keepsFiles(inMemory);
});
describe('files in IndexedDB', () => {
  keepsFiles(inIndexedDb);
});
describe('files in SQLite', () => {
  keepsFiles(() => inSqlite('node'));
});
describe('files in SQLite, by the calls of Expo', () => {
  keepsFiles(() => inSqlite('expo'));
});
describe('files in SQLite, by the calls of op-sqlite', () => {
  keepsFiles(() => inSqlite('opSqlite'));
});
describe('encrypted files in IndexedDB', () => {
  keepsFiles(() => lockedAway(inIndexedDb()));
});
describe('encrypted files in SQLite', () => {
  keepsFiles(async () => lockedAway(await inSqlite('node')));
});

describe('encryption of files', () => {
  const name = 'signature of Kim';
  const photo = new Uint8Array(Buffer.from('what the photo shows '.repeat(100)));

  test('neither bytes nor names are readable in the store beneath', async () => {
    const beneath = new MemoryFiles();
    await (await encryptedFiles(beneath, await newKey())).put('A', { name }, [photo]);
    expect(JSON.stringify(await beneath.files())).not.toContain(name);
    expect(Buffer.from((await beneath.piece('A', 0)) ?? []).includes('photo')).toBe(false);
  });

  test('unencrypted files are encrypted on first use, and after an interruption on the next use', async () => {
    const beneath = new MemoryFiles();
    const key = await newKey();
    for (const id of ['A', 'B', 'C']) await beneath.put(id, { name }, [photo, photo]);
    const put = vi.spyOn(beneath, 'put').mockImplementation(async (...args) => {
      if (put.mock.calls.length === 2) throw new Error('the app was killed');
      return MemoryFiles.prototype.put.apply(beneath, args);
    });
    await expect(encryptedFiles(beneath, key)).rejects.toThrow('killed');
    put.mockRestore();
    const store = await encryptedFiles(beneath, key);
    expect(JSON.stringify(await beneath.files())).not.toContain(name);
    expect(await store.files()).toEqual(['A', 'B', 'C'].map((id) => ({ key: id, value: { name } })));
    for (const id of ['A', 'B', 'C']) expect(await store.piece(id, 1)).toEqual(photo);
  });

  test('another key raises an error and changes nothing', async () => {
    const beneath = new MemoryFiles();
    const key = await newKey();
    await (await encryptedFiles(beneath, key)).put('A', { name }, [photo]);
    await expect(encryptedFiles(beneath, await newKey())).rejects.toThrow(WrongKey);
    expect(await (await encryptedFiles(beneath, key)).piece('A', 0)).toEqual(photo);
  });

  test('bytes that were replaced by others count as missing', async () => {
    const beneath = new MemoryFiles();
    const store = await encryptedFiles(beneath, await newKey());
    await store.put('A', { name }, [photo, photo.slice(5)]);
    const second = (await beneath.piece('A', 1)) ?? new Uint8Array();
    const facts = (await beneath.files()).find(({ key }) => key === 'A');
    await beneath.put('A', facts?.value, [second]);
    expect(await store.piece('A', 0)).toBeUndefined();
    expect(await store.piece('A', 1)).toEqual(photo.slice(5));
  });
});
