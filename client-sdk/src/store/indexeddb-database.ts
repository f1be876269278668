import type { Durability } from './store.ts';

/** The name and schema of a database. */
export interface DatabaseDefinition {
  readonly name: string;
  readonly version: number;
  /** Creates missing stores; `oldVersion` is 0 for a new database. */
  readonly upgrade: (database: IDBDatabase, oldVersion: number) => void;
}

/** A database of the browser: opened on first use, and again where the platform has closed it. */
export class Database {
  readonly #factory: IDBFactory;
  readonly #definition: DatabaseDefinition;
  #opened: Promise<IDBDatabase> | undefined;

  constructor(factory: IDBFactory, definition: DatabaseDefinition) {
    this.#factory = factory;
    this.#definition = definition;
  }

  /** Runs `work` in one transaction; reads its result after `complete`, because only that event confirms the commit. */
  async inTransaction<Result>(
    mode: IDBTransactionMode,
    stores: readonly string[],
    durability: Durability,
    work: (transaction: IDBTransaction) => () => Result,
  ): Promise<Result> {
    const transaction = await this.#begin(mode, [...stores], durability);
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error('the storage transaction was aborted'));
    });
    try {
      const read = work(transaction);
      await ended;
      return read();
    } catch (error) {
      // `put` throws for an unstorable value. Without the abort, earlier puts of the transaction would be committed.
      await abort(transaction, ended);
      throw error;
    }
  }

  async close(): Promise<void> {
    const database = await this.#opened?.catch(() => undefined);
    this.#opened = undefined;
    database?.close();
  }

  async #begin(mode: IDBTransactionMode, stores: string[], durability: Durability): Promise<IDBTransaction> {
    const database = await this.#open();
    try {
      return database.transaction(stores, mode, { durability });
    } catch (error) {
      // Browsers close connections of background pages; a new one works as well (field case 19).
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error;
      this.#opened = undefined;
      return (await this.#open()).transaction(stores, mode, { durability });
    }
  }

  #open(): Promise<IDBDatabase> {
    const forget = (): void => {
      this.#opened = undefined;
    };
    this.#opened ??= openDatabase(this.#factory, this.#definition, forget).catch((error: unknown) => {
      forget();
      throw error;
    });
    return this.#opened;
  }
}

/** Resolves once the transaction has ended. */
async function abort(transaction: IDBTransaction, ended: Promise<void>): Promise<void> {
  try {
    transaction.abort();
  } catch {
    // It has already ended, which caused the error.
  }
  await ended.catch(() => {});
}

/**
 * Opens the database, and creates or upgrades it where needed. After a downgrade of the app the database may have a
 * newer version. The stores of this version still exist in it, so the client opens it as it is (field case 5).
 *
 * @param onClosed called when the connection can no longer be used
 */
async function openDatabase(
  factory: IDBFactory,
  definition: DatabaseDefinition,
  onClosed: () => void,
): Promise<IDBDatabase> {
  try {
    return await openVersion(factory, definition, onClosed, definition.version);
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'VersionError') throw error;
    return openVersion(factory, definition, onClosed);
  }
}

/** @param version undefined: the existing one */
function openVersion(
  factory: IDBFactory,
  definition: DatabaseDefinition,
  onClosed: () => void,
  version?: number,
): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = factory.open(definition.name, version);
    request.onupgradeneeded = ({ oldVersion }) => definition.upgrade(request.result, oldVersion);
    request.onerror = () => reject(request.error ?? new Error(`the database ${definition.name} could not be opened`));
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = onClosed;
      // Closes the connection so that another page with a newer app can upgrade. The next access opens it again.
      database.onversionchange = () => {
        database.close();
        onClosed();
      };
      resolve(database);
    };
  });
}
