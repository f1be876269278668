import { IDBDatabase, IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Store } from '@tailgate/client-sdk';
import { MemoryStore, openIndexedDb, tables } from '@tailgate/client-sdk';

vi.stubGlobal('IDBKeyRange', IDBKeyRange);

/** The same device, opened and opened again. */
interface Ground {
  readonly open: () => Promise<Store>;
}

const grounds: Record<string, () => Ground> = {
  memory: () => {
    const store = new MemoryStore();
    return { open: () => Promise.resolve(store) };
  },
  IndexedDB: () => {
    const name = newName();
    const indexedDB = new IDBFactory();
    return { open: () => openIndexedDb(name, { indexedDB }) };
  },
};

let names = 0;
const newName = (): string => `phone-${++names}`;

// Every adapter passes this; a new one is one entry above.
describe.each(Object.entries(grounds))('a store in %s', (_name, newGround) => {
  let ground: Ground;
  let store: Store;
  beforeEach(async () => {
    ground = newGround();
    store = await ground.open();
  });

  test('is empty at first, in every table', async () => {
    for (const table of tables) expect(await store.readAll(table)).toEqual([]);
  });

  test('gives rows back in the order of keys, whatever the order of writing', async () => {
    const keys = ['q/0000000010', 'q/0000000002', 'p/1', 'q/0000000001', 'q\n1'];
    await store.write(
      keys.map((key) => ({ put: 'item', key, value: { key } })),
      'strict',
    );
    const rows = await store.readAll('item');
    expect(rows.map((row) => row.key)).toEqual([...keys].sort());
    expect(rows.map((row) => row.value)).toEqual([...keys].sort().map((key) => ({ key })));
  });

  test('keeps JSON as it is: text of any script, numbers, nesting, null', async () => {
    const value = { text: 'Zürich – 日本 🚚 \u0001', number: -1.5e-7, list: [1, [null, true]], empty: {} };
    await store.write([{ put: 'setting', key: 'k', value }], 'relaxed');
    expect(await store.readAll('setting')).toEqual([{ key: 'k', value }]);
  });

  test('what was read or written is a copy', async () => {
    const value = { list: [1] };
    await store.write([{ put: 'setting', key: 'k', value }], 'strict');
    value.list.push(2);
    expect(await store.readAll('setting')).toEqual([{ key: 'k', value: { list: [1] } }]);
  });

  test('takes changes in order: the last put stands, a delete after a put deletes', async () => {
    await store.write(
      [
        { put: 'item', key: 'a', value: 1 },
        { put: 'item', key: 'a', value: 2 },
        { put: 'item', key: 'b', value: 1 },
        { delete: 'item', key: 'b' },
        { delete: 'item', key: 'never' },
      ],
      'strict',
    );
    expect(await store.readAll('item')).toEqual([{ key: 'a', value: 2 }]);
  });

  test('deletes by prefix what begins so, and nothing else', async () => {
    const keys = ['s\n', 's\na', 's\n\u{10ffff}', 's', 's2\na', 'r\na'];
    await store.write(
      keys.map((key) => ({ put: 'document', key, value: key })),
      'strict',
    );
    await store.write(
      [
        { deleteAll: 'document', prefix: 's\n' },
        { put: 'document', key: 's\nnew', value: 1 },
      ],
      'strict',
    );
    expect((await store.readAll('document')).map((row) => row.key)).toEqual(['r\na', 's', 's\nnew', 's2\na']);
  });

  test('writes all or nothing', async () => {
    const unstorable: { self?: object; act: () => void } = { act: () => {} };
    unstorable.self = unstorable;
    const write = store.write(
      [
        { put: 'item', key: 'a', value: 1 },
        { put: 'item', key: 'b', value: unstorable },
      ],
      'strict',
    );
    await expect(write).rejects.toThrow(/clone|circular/);
    expect(await store.readAll('item')).toEqual([]);
  });

  test('keeps its rows when it is closed and opened again', async () => {
    await store.write([{ put: 'queue', key: 'q', value: 1 }], 'strict');
    await store.close();
    const again = await ground.open();
    expect(await again.readAll('queue')).toEqual([{ key: 'q', value: 1 }]);
  });

  test('takes writes at the same time in the order in which they were asked for', async () => {
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => store.write([{ put: 'item', key: 'k', value: n }], 'strict')),
    );
    expect(await store.readAll('item')).toEqual([{ key: 'k', value: 49 }]);
  });
});

describe('IndexedDB alone', () => {
  test('a write asks for strict durability and resolves on complete only', async () => {
    const indexedDB = new IDBFactory();
    const store = await openIndexedDb(newName(), { indexedDB });
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

  // Field case 19.
  test('a connection that the platform closed in the background is opened again', async () => {
    const indexedDB = new IDBFactory();
    const opened: IDBDatabase[] = [];
    const open = indexedDB.open.bind(indexedDB);
    vi.spyOn(indexedDB, 'open').mockImplementation((...args) => {
      const request = open(...args);
      request.addEventListener('success', () => opened.push(request.result));
      return request;
    });
    const store = await openIndexedDb(newName(), { indexedDB });
    await store.write([{ put: 'item', key: 'a', value: 1 }], 'strict');
    for (const database of opened) database.close();
    await store.write([{ put: 'item', key: 'b', value: 2 }], 'strict');
    expect((await store.readAll('item')).map((row) => row.key)).toEqual(['a', 'b']);
    expect(opened).toHaveLength(2);
  });
});
