import { beforeEach, expect, test } from 'vitest';
import type { Store } from '@tailgate/client-sdk';
import { tables } from '@tailgate/client-sdk';

/** The same device, opened and opened again. */
export interface StoreDeps {
  readonly open: () => Promise<Store>;
}

/** The common behaviour of every store. */
export function conforms(newDeps: () => Promise<StoreDeps> | StoreDeps): void {
  let deps: StoreDeps;
  let store: Store;
  beforeEach(async () => {
    deps = await newDeps();
    store = await deps.open();
  });

  test('is empty at first, in every table', async () => {
    for (const table of tables) expect(await store.readAll(table)).toEqual([]);
  });

  test('returns rows in the order of keys, in any order of writing', async () => {
    const keys = ['q/0000000010', 'q/0000000002', 'p/1', 'q/0000000001', 'q\n1'];
    await store.write(
      keys.map((key) => ({ put: 'item', key, value: { key } })),
      'strict',
    );
    const rows = await store.readAll('item');
    expect(rows.map((row) => row.key)).toEqual([...keys].sort());
    expect(rows.map((row) => row.value)).toEqual([...keys].sort().map((key) => ({ key })));
  });

  test('stores JSON unchanged: text of any script, numbers, nesting, null', async () => {
    const value = { text: 'Zürich – 日本 🚚 \u0001', number: -1.5e-7, list: [1, [null, true]], empty: {} };
    await store.write([{ put: 'setting', key: 'k', value }], 'relaxed');
    expect(await store.readAll('setting')).toEqual([{ key: 'k', value }]);
  });

  test('reads and writes copies', async () => {
    const value = { list: [1] };
    await store.write([{ put: 'setting', key: 'k', value }], 'strict');
    value.list.push(2);
    expect(await store.readAll('setting')).toEqual([{ key: 'k', value: { list: [1] } }]);
  });

  test('applies changes in order: the last put wins, a delete after a put deletes', async () => {
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

  test('deletes by prefix exactly the keys with that prefix', async () => {
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

  test('retains its rows when it is closed and opened again', async () => {
    await store.write([{ put: 'queue', key: 'q', value: 1 }], 'strict');
    await store.close();
    const again = await deps.open();
    expect(await again.readAll('queue')).toEqual([{ key: 'q', value: 1 }]);
  });

  test('applies simultaneous writes in the order of their calls', async () => {
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => store.write([{ put: 'item', key: 'k', value: n }], 'strict')),
    );
    expect(await store.readAll('item')).toEqual([{ key: 'k', value: 49 }]);
  });
}
