import type { Durability } from './store.ts';

/** What a database is called and how it is made. */
export interface DatabaseForm {
  readonly name: string;
  readonly version: number;
  /** Makes what is missing; `oldVersion` is 0 where there was no such database. */
  readonly upgrade: (database: IDBDatabase, oldVersion: number) => void;
}

/** A database of the browser's: opened when it is first used, and again where the platform has closed it. */
export class Database {
  readonly #factory: IDBFactory;
  readonly #form: DatabaseForm;
  #opened: Promise<IDBDatabase> | undefined;

  constructor(factory: IDBFactory, form: DatabaseForm) {
    this.#factory = factory;
    this.#form = form;
  }

  /** Runs `work` in one transaction; its result is read after `complete`, which alone means that it is committed. */
  async inTransaction<Result>(
    mode: IDBTransactionMode,
    stores: readonly string[],
    durability: Durability,
    work: (transaction: IDBTransaction) => () => Result,
  ): Promise<Result> {
    const transaction = await this.#begin(mode, [...stores], durability);
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
      // Browsers close connections of pages in the background; the next one is as good (field case 19).
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error;
      this.#opened = undefined;
      return (await this.#open()).transaction(stores, mode, { durability });
    }
  }

  #open(): Promise<IDBDatabase> {
    const forget = (): void => {
      this.#opened = undefined;
    };
    this.#opened ??= openDatabase(this.#factory, this.#form, forget).catch((error: unknown) => {
      forget();
      throw error;
    });
    return this.#opened;
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
 * Opens the database, made anew or larger where it has to be. A later app may have made it larger than this one knows,
 * and been set back: what we need is there all the same, and the driver's work with it (field case 5).
 *
 * @param gone called when the connection is of no use any more
 */
async function openDatabase(factory: IDBFactory, form: DatabaseForm, gone: () => void): Promise<IDBDatabase> {
  try {
    return await openVersion(factory, form, gone, form.version);
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'VersionError') throw error;
    return openVersion(factory, form, gone);
  }
}

/** @param version undefined: the one that is there */
function openVersion(
  factory: IDBFactory,
  form: DatabaseForm,
  gone: () => void,
  version?: number,
): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = factory.open(form.name, version);
    request.onupgradeneeded = ({ oldVersion }) => form.upgrade(request.result, oldVersion);
    request.onerror = () => reject(request.error ?? new Error(`the database ${form.name} could not be opened`));
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
