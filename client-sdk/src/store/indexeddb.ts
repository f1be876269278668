import { TabClient } from '../tabs/tab-client.ts';
import type { Durability, Row, Store, StoreChange, Table } from './store.ts';
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
export async function openIndexedDb(name = 'tailgate', options: IndexedDbOptions = {}): Promise<Store> {
  const { indexedDB = globalThis.indexedDB, locks = globalThis.navigator?.locks, patienceMs = 5_000 } = options;
  const store = new IndexedDbStore(name, indexedDB);
  if (locks) store.share = (start, outer) => TabClient.open({ name, locks, patienceMs, start, store: outer });
  // Fail here and now where storage is denied, not at the driver's first tap.
  await store.readAll('setting');
  const known = wasHere(name);
  store.evicted = store.created && known;
  // Where it is granted, nothing is thrown away without the person's doing; where not, there is nothing to do about it.
  void globalThis.navigator?.storage?.persist?.().catch(() => false);
  return store;
}

class IndexedDbStore implements Store {
  readonly #name: string;
  readonly #factory: IDBFactory;
  /** This is the first time that the database is open since there is one. */
  created = false;
  evicted = false;
  share: Store['share'];
  #database: Promise<IDBDatabase> | undefined;

  readonly #life: DatabaseLife = {
    created: () => (this.created = true),
    gone: () => (this.#database = undefined),
  };

  constructor(name: string, factory: IDBFactory) {
    this.#name = name;
    this.#factory = factory;
  }

  readAll(table: Table): Promise<Row[]> {
    return this.#inTransaction('readonly', [table], 'relaxed', (transaction) => {
      const store = transaction.objectStore(table);
      const keys = store.getAllKeys();
      const values = store.getAll();
      // Both lists come in the order of keys.
      return () => keys.result.map((key, i): Row => ({ key: keyText(key), value: values.result[i] }));
    });
  }

  write(changes: readonly StoreChange[], durability: Durability): Promise<void> {
    const touched = new Set(
      changes.map((change) => ('put' in change ? change.put : 'delete' in change ? change.delete : change.deleteAll)),
    );
    return this.#inTransaction('readwrite', [...touched], durability, (transaction) => {
      for (const change of changes) apply(transaction, change);
      return () => {};
    });
  }

  async close(): Promise<void> {
    const database = await this.#database?.catch(() => undefined);
    this.#database = undefined;
    database?.close();
  }

  /** Runs `work` in one transaction; its result is read after `complete`, which alone means that it is committed. */
  async #inTransaction<Result>(
    mode: IDBTransactionMode,
    stores: string[],
    durability: Durability,
    work: (transaction: IDBTransaction) => () => Result,
  ): Promise<Result> {
    const transaction = await this.#begin(mode, stores, durability);
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('the storage transaction was aborted'));
    try {
      const read = work(transaction);
      await ended;
      return read();
    } catch (error) {
      // A value that cannot be stored throws at once, and what was put before it would be committed.
      await abort(transaction, ended);
      throw error;
    }
  }

  async #begin(mode: IDBTransactionMode, stores: string[], durability: Durability): Promise<IDBTransaction> {
    const database = await this.#open();
    try {
      return database.transaction(stores, mode, { durability });
    } catch (error) {
      // Browsers close connections of pages in the background; the next one is as good (field case 19).
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error;
      this.#database = undefined;
      return (await this.#open()).transaction(stores, mode, { durability });
    }
  }

  #open(): Promise<IDBDatabase> {
    this.#database ??= openDatabase(this.#factory, this.#name, this.#life).catch((error: unknown) => {
      this.#database = undefined;
      throw error;
    });
    return this.#database;
  }
}

/** Resolves once nothing of the transaction can happen any more. */
async function abort(transaction: IDBTransaction, ended: Promise<void>): Promise<void> {
  try {
    transaction.abort();
  } catch {
    // It has ended by itself: that is why we are here.
  }
  await ended.catch(() => {});
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

interface DatabaseLife {
  readonly created: () => void;
  readonly gone: () => void;
}

function openDatabase(factory: IDBFactory, name: string, { created, gone }: DatabaseLife): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = factory.open(name, schemaVersion);
    request.onupgradeneeded = ({ oldVersion }) => {
      if (oldVersion === 0) created();
      for (const table of tables)
        if (!request.result.objectStoreNames.contains(table)) request.result.createObjectStore(table);
    };
    request.onerror = () => reject(request.error ?? new Error(`the store ${name} could not be opened`));
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = gone;
      // A newer app wants to upgrade in another page: let it, we open again.
      database.onversionchange = () => {
        database.close();
        gone();
      };
      resolve(database);
    };
  });
}
