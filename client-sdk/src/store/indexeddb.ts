import type { SharedStore } from '../tabs/shared-store.ts';
import { TabClient } from '../tabs/tab-client.ts';
import { Database } from './indexeddb-database.ts';
import type { Durability, Row, StoreChange, Table } from './store.ts';
import { tables } from './store.ts';

/** How `openIndexedDb` opens its database; all of it can be left out. */
export interface IndexedDbOptions {
  readonly indexedDB?: IDBFactory;
  /**
   * The platform's locks. Where there are none (old WebViews, which have one page) this page runs the client and nothing
   * guards against a second one.
   */
  readonly locks?: LockManager;
  /** How long the page that runs the client may be silent while this one opens, before `StoreInUse`; ms. */
  readonly patienceMs?: number;
}

/**
 * Opens the store of that name in the browser's IndexedDB. Any number of pages may: one of them runs the client, the
 * others see and record through it.
 */
export async function openIndexedDb(name = 'tailgate', options: IndexedDbOptions = {}): Promise<SharedStore> {
  const { indexedDB = globalThis.indexedDB, locks = globalThis.navigator?.locks, patienceMs = 5_000 } = options;
  const store = new IndexedDbStore(name, indexedDB);
  if (locks)
    store.share = (start, outer, uploads) => TabClient.open({ name, locks, patienceMs, start, store: outer, uploads });
  // Fail here and now where storage is denied, not at the driver's first tap.
  await store.readAll('setting');
  const known = wasHere(name);
  store.evicted = store.created && known;
  // Where it is granted, nothing is thrown away without the person's doing; where not, there is nothing to do about it.
  void globalThis.navigator?.storage?.persist?.().catch(() => false);
  return store;
}

class IndexedDbStore implements SharedStore {
  /** This is the first time that the database is open since there is one. */
  created = false;
  evicted = false;
  share: SharedStore['share'];
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
 * Whether a store of this name was here before: what browsers throw away when room is short leaves `localStorage` alone.
 * False where there is none (service workers, denied storage).
 */
function wasHere(name: string): boolean {
  try {
    const marker = `tailgate:${name}`;
    const known = globalThis.localStorage.getItem(marker) !== null;
    globalThis.localStorage.setItem(marker, 'here');
    return known;
  } catch {
    return false;
  }
}

const keyText = (key: IDBValidKey): string => (typeof key === 'string' ? key : '');

function apply(transaction: IDBTransaction, change: StoreChange): void {
  if ('put' in change) transaction.objectStore(change.put).put(change.value, change.key);
  else if ('delete' in change) transaction.objectStore(change.delete).delete(change.key);
  else {
    const { deleteAll, prefix } = change;
    transaction.objectStore(deleteAll).delete(IDBKeyRange.bound(prefix, `${prefix}\uffff`));
  }
}

/** The schema's version rises when `tables` grows; rows are JSON that the SDK reads with care, so it needs no other reason. */
const schemaVersion = 1;
