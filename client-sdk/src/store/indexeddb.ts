import type { SharedStore } from '../tabs/shared-store.ts';
import { TabClient, withoutClient } from '../tabs/tab-client.ts';
import { Database } from './indexeddb-database.ts';
import type { Durability, Row, StoreChange, Table } from './store.ts';
import { tables } from './store.ts';

/** Options of `openIndexedDb`; all are optional. */
export interface IndexedDbOptions {
  readonly indexedDB?: IDBFactory;
  /**
   * The platform's locks. A page without https has none: it runs the client without protection against a second page.
   */
  readonly locks?: LockManager;
  /**
   * How long another page may hold the store before `StoreInUse`: silent while this one opens, or with its client while
   * this one imports; and before `close()` gives up waiting for this page's changes; ms.
   */
  readonly patienceMs?: number;
}

/**
 * Opens the named store in the browser's IndexedDB. Any number of pages may open it. One of them runs the client; the
 * others read and record through it.
 */
export async function openIndexedDb(name = 'tailgate', options: IndexedDbOptions = {}): Promise<SharedStore> {
  const { indexedDB = globalThis.indexedDB, locks = globalThis.navigator?.locks, patienceMs = 5_000 } = options;
  const store = new IndexedDbStore(name, indexedDB);
  if (locks) {
    store.share = (start, outer, uploads) => TabClient.open({ name, locks, patienceMs, start, store: outer, uploads });
    store.alone = (work) => withoutClient({ name, locks, patienceMs }, work);
  }
  // Fails here where the platform denies storage, not at the driver's first tap.
  await store.readAll('setting');
  const known = existedBefore(name);
  store.evicted = store.created && known;
  // With this permission, only a person can delete the data; a refusal has no remedy.
  void globalThis.navigator?.storage?.persist?.().catch(() => false);
  return store;
}

class IndexedDbStore implements SharedStore {
  /** The database did not exist before this opening. */
  created = false;
  evicted = false;
  share: SharedStore['share'];
  alone: SharedStore['alone'];
  readonly #database: Database;

  constructor(name: string, factory: IDBFactory) {
    this.#database = new Database(factory, {
      name,
      version: schemaVersion,
      upgrade: (database, oldVersion) => {
        if (oldVersion === 0) this.created = true;
        for (const table of tables) if (!database.objectStoreNames.contains(table)) database.createObjectStore(table);
      },
    });
  }

  readAll(table: Table): Promise<Row[]> {
    return this.#database.inTransaction('readonly', [table], 'relaxed', (transaction) => {
      const store = transaction.objectStore(table);
      const keys = store.getAllKeys();
      const values = store.getAll();
      // Both lists come in the order of keys.
      return () => {
        const found: unknown[] = values.result;
        return keys.result.map((key, i): Row => ({ key: keyText(key), value: found[i] }));
      };
    });
  }

  write(changes: readonly StoreChange[], durability: Durability): Promise<void> {
    const touched = new Set(
      changes.map((change) => ('put' in change ? change.put : 'delete' in change ? change.delete : change.deleteAll)),
    );
    return this.#database.inTransaction('readwrite', [...touched], durability, (transaction) => {
      for (const change of changes) apply(transaction, change);
      return () => {};
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

/**
 * Whether a store of this name existed before: browsers that evict data leave `localStorage` alone. False without
 * `localStorage` (service workers, denied storage).
 */
function existedBefore(name: string): boolean {
  try {
    const known = globalThis.localStorage.getItem(markerOf(name)) !== null;
    globalThis.localStorage.setItem(markerOf(name), 'here');
    return known;
  } catch {
    return false;
  }
}

/** The key in `localStorage` that remembers a store. */
export const markerOf = (name: string): string => `tailgate:${name}`;

const keyText = (key: IDBValidKey): string => (typeof key === 'string' ? key : '');

function apply(transaction: IDBTransaction, change: StoreChange): void {
  if ('put' in change) transaction.objectStore(change.put).put(change.value, change.key);
  else if ('delete' in change) transaction.objectStore(change.delete).delete(change.key);
  else {
    const { deleteAll, prefix } = change;
    transaction.objectStore(deleteAll).delete(IDBKeyRange.bound(prefix, `${prefix}\uffff`));
  }
}

/** The schema's version rises only when `tables` grows: rows are JSON, and the SDK checks each one that it reads. */
const schemaVersion = 1;
