import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { IDBDatabase, IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { describe, expect, test, vi } from 'vitest';
import type { Store } from '@tailgate/client-sdk';
import { createClient, MemoryStore, openIndexedDb, StoreInUse } from '@tailgate/client-sdk';
import { encrypted, WrongKey } from '@tailgate/client-sdk/encrypted';
import { nodeSqlite, openSqlite } from '@tailgate/client-sdk/sqlite';
import type { StoreDeps } from '../support/store-conformance.ts';
import { sqlPlatforms } from '../support/sql-platforms.ts';
import { conforms } from '../support/store-conformance.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.stubGlobal('IDBKeyRange', IDBKeyRange);

const inMemory = (): StoreDeps => {
  const store = new MemoryStore();
  return { open: async () => store };
};
const inIndexedDb = (): StoreDeps => {
  const indexedDB = new IDBFactory();
  return { open: () => openIndexedDb('phone', { indexedDB }) };
};
const newFile = async (): Promise<string> => join(await temporaryFolder(), 'phone.db');
const inSqlite = async (platform: keyof typeof sqlPlatforms): Promise<StoreDeps> => {
  const file = await newFile();
  return { open: () => openSqlite(sqlPlatforms[platform](file)) };
};

const newKey = (): Promise<CryptoKey> =>
  crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt']);

const lockedAway = async ({ open }: StoreDeps): Promise<StoreDeps> => {
  const key = await newKey();
  return { open: async () => encrypted(await open(), key) };
};

// A new adapter is one entry here.
describe('a store in memory', () => {
  conforms(inMemory);
});
describe('a store in IndexedDB', () => {
  conforms(inIndexedDb);
});
describe('a store in SQLite', () => {
  conforms(() => inSqlite('node'));
});
describe('a store in SQLite, by the calls of Expo', () => {
  conforms(() => inSqlite('expo'));
});
describe('a store in SQLite, by the calls of op-sqlite', () => {
  conforms(() => inSqlite('opSqlite'));
});
describe('an encrypted store in memory', () => {
  conforms(() => lockedAway(inMemory()));
});
describe('an encrypted store in IndexedDB', () => {
  conforms(() => lockedAway(inIndexedDb()));
});

describe('IndexedDB alone', () => {
  test('writes with strict durability and resolves only on `complete`', async () => {
    const indexedDB = new IDBFactory();
    const store = await openIndexedDb('phone', { indexedDB });
    const asked: unknown[] = [];
    const completed: string[] = [];
    const begin = vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (
      this: IDBDatabase,
      ...args
    ) {
      asked.push(args[2]);
      begin.mockRestore();
      const transaction = this.transaction(...args);
      transaction.addEventListener('complete', () => completed.push('complete'));
      return transaction;
    });
    await store.write([{ put: 'item', key: 'k', value: 1 }], 'strict').then(() => completed.push('resolved'));
    expect(asked).toEqual([{ durability: 'strict' }]);
    expect(completed).toEqual(['complete', 'resolved']);
  });
});

describe('SQLite alone', () => {
  test('refuses a second process while the first one has the store open', async () => {
    const file = await newFile();
    const openIt = (): Promise<Store> => openSqlite(nodeSqlite(() => new DatabaseSync(file)));
    const first = await openIt();
    await expect(openIt()).rejects.toThrow(/locked/);
    await first.close();
    await (await openIt()).close();
  });

  test('retains every confirmed write of a killed process, and no partial write', async () => {
    const file = await newFile();
    const writer = spawn(process.execPath, ['--conditions=source', '--input-type=module', '-e', writes(file)], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let confirmed = 0;
    for await (const line of createInterface(writer.stdout)) {
      confirmed = Number(line);
      if (confirmed === 20) writer.kill('SIGKILL');
    }
    const store = await openSqlite(nodeSqlite(() => new DatabaseSync(file)));
    const [items, heads] = await Promise.all([store.readAll('item'), store.readAll('queue')]);
    expect(items.length).toBeGreaterThanOrEqual(confirmed);
    expect(heads).toEqual([{ key: 'q', value: items.length }]);
    await store.close();
  });
});

/** Prints each number after its write, until the process is killed. */
const writes = (file: string): string => `
import { DatabaseSync } from 'node:sqlite';
import { nodeSqlite, openSqlite } from '@tailgate/client-sdk/sqlite';
const store = await openSqlite(nodeSqlite(() => new DatabaseSync(${JSON.stringify(file)})));
for (let n = 1; ; n++) {
  await store.write([{ put: 'item', key: String(n).padStart(6, '0'), value: n }, { put: 'queue', key: 'q', value: n }], 'strict');
  console.log(n);
}`;

describe('encryption alone', () => {
  test('leaves no value readable in the store beneath, and equal writes differ there', async () => {
    const beneath = new MemoryStore();
    const store = await encrypted(beneath, await newKey());
    await store.write(
      ['a', 'b'].map((key) => ({ put: 'item', key, value: { text: 'a signature' } })),
      'strict',
    );
    const [a, b] = await beneath.readAll('item');
    expect(JSON.stringify([a, b])).not.toContain('signature');
    expect(a?.value).not.toEqual(b?.value);
  });

  test('encrypts existing values on first use', async () => {
    const beneath = new MemoryStore();
    await beneath.write([{ put: 'item', key: 'old', value: 'in the open' }], 'strict');
    const store = await encrypted(beneath, await newKey());
    expect(JSON.stringify(await beneath.readAll('item'))).not.toContain('open');
    expect(await store.readAll('item')).toEqual([{ key: 'old', value: 'in the open' }]);
  });

  test('encrypts nothing while a page runs a client in the open', async () => {
    const indexedDB = new IDBFactory();
    const open = (patienceMs?: number) =>
      openIndexedDb('in the open', { indexedDB, ...(patienceMs && { patienceMs }) });
    const key = await newKey();
    const beneath = await open();
    const client = await createClient({ url: 'http://127.0.0.1:9', store: await open() });
    await beneath.write([{ put: 'item', key: 'a', value: 'in the open' }], 'strict');
    await expect(encrypted(await open(50), key)).rejects.toThrow(StoreInUse);
    expect(await beneath.readAll('item')).toEqual([{ key: 'a', value: 'in the open' }]);
    await client.close();
    const store = await encrypted(await open(), key);
    expect(JSON.stringify(await beneath.readAll('item'))).not.toContain('open');
    expect(await store.readAll('item')).toEqual([{ key: 'a', value: 'in the open' }]);
  });

  test('encrypts a value once, where two pages begin at the same time', async () => {
    const indexedDB = new IDBFactory();
    const open = () => openIndexedDb('two pages', { indexedDB });
    const [key, first, second] = [await newKey(), await open(), await open()];
    await first.write([{ put: 'item', key: 'a', value: 1 }], 'strict');
    // The second page has read before the first one wrote.
    const before = await second.readAll('setting');
    vi.spyOn(second, 'readAll').mockResolvedValueOnce(before);
    for (const store of [await encrypted(first, key), await encrypted(second, key)])
      expect(await store.readAll('item')).toEqual([{ key: 'a', value: 1 }]);
  });

  test('that another page has added since this one opened the store: no client runs in the open', async () => {
    const indexedDB = new IDBFactory();
    const open = () => openIndexedDb('encrypted meanwhile', { indexedDB });
    const [plain, key] = [await open(), await newKey()];
    const store = await encrypted(await open(), key);
    const before = await plain.readAll('setting');
    await expect(createClient({ url: 'http://127.0.0.1:9', store: plain })).rejects.toThrow('is encrypted');
    await (await createClient({ url: 'http://127.0.0.1:9', store })).close();
    const after = (await (await open()).readAll('setting')).filter(({ key: name }) => name === 'encryption');
    expect(after).toEqual(before);
  });

  test('reports another key and changes nothing', async () => {
    const beneath = new MemoryStore();
    const key = await newKey();
    await (await encrypted(beneath, key)).write([{ put: 'item', key: 'a', value: 1 }], 'strict');
    await expect(encrypted(beneath, await newKey())).rejects.toThrow(WrongKey);
    expect(await (await encrypted(beneath, key)).readAll('item')).toEqual([{ key: 'a', value: 1 }]);
  });

  test("reports a row at another row's place as damaged, and reads the others", async () => {
    const beneath = new MemoryStore();
    const store = await encrypted(beneath, await newKey());
    await store.write(
      ['a', 'b'].map((key) => ({ put: 'item', key, value: key })),
      'strict',
    );
    const [a] = await beneath.readAll('item');
    await beneath.write([{ put: 'item', key: 'b', value: a?.value }], 'strict');
    expect(await store.readAll('item')).toEqual([
      { key: 'a', value: 'a' },
      { key: 'b', value: null },
    ]);
  });
});
