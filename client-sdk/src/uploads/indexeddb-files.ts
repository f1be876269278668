import type { FileStore, KeptFile } from './file-store.ts';
import { pieceKey } from './file-store.ts';

const version = 1;

/** Opens files in the browser's IndexedDB, in a database of their own. Any number of pages may have it open. */
export async function openIndexedDbFiles(
  name = 'tailgate-files',
  factory: IDBFactory = globalThis.indexedDB,
): Promise<FileStore> {
  const store = new IndexedDbFiles(name, factory);
  // Fail here and now where storage is denied, not at the driver's first photo.
  await store.files();
  return store;
}

class IndexedDbFiles implements FileStore {
  readonly #name: string;
  readonly #factory: IDBFactory;
  #database: Promise<IDBDatabase> | undefined;

  constructor(name: string, factory: IDBFactory) {
    this.#name = name;
    this.#factory = factory;
  }

  files(): Promise<unknown[]> {
    return this.#inTransaction('readonly', (of) => of('file').getAll());
  }

  async put(file: KeptFile, pieces: readonly Uint8Array<ArrayBuffer>[] = []): Promise<void> {
    await this.#inTransaction('readwrite', (of) => {
      for (const [i, piece] of pieces.entries()) of('piece').put(piece, pieceKey(file.id, i));
      return of('file').put(file, file.id);
    });
  }

  async piece(id: string, index: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const found = await this.#inTransaction<unknown>('readonly', (of) => of('piece').get(pieceKey(id, index)));
    return isBytes(found) ? found : undefined;
  }

  async remove({ id }: KeptFile): Promise<void> {
    await this.#inTransaction('readwrite', (of) => {
      of('piece').delete(IDBKeyRange.bound(`${id}/`, `${id}/\uffff`));
      return of('file').delete(id);
    });
  }

  async close(): Promise<void> {
    const database = await this.#database?.catch(() => undefined);
    this.#database = undefined;
    database?.close();
  }

  /** Resolves with the request's result on `complete`, which alone means that it is committed. */
  async #inTransaction<Result>(
    mode: IDBTransactionMode,
    work: (of: (store: 'file' | 'piece') => IDBObjectStore) => IDBRequest<Result>,
  ): Promise<Result> {
    const transaction = await this.#begin(mode);
    return new Promise((resolve, reject) => {
      const request = work((store) => transaction.objectStore(store));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? new Error('the storage transaction was aborted'));
    });
  }

  async #begin(mode: IDBTransactionMode): Promise<IDBTransaction> {
    const stores = ['file', 'piece'];
    try {
      return (await this.#open()).transaction(stores, mode, { durability: 'strict' });
    } catch (error) {
      // Browsers close connections of pages in the background; the next one is as good (field case 19).
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError') throw error;
      this.#database = undefined;
      return (await this.#open()).transaction(stores, mode, { durability: 'strict' });
    }
  }

  #open(): Promise<IDBDatabase> {
    const forget = (): void => {
      this.#database = undefined;
    };
    this.#database ??= openDatabase(this.#factory, this.#name, forget).catch((error: unknown) => {
      forget();
      throw error;
    });
    return this.#database;
  }
}

const isBytes = (value: unknown): value is Uint8Array<ArrayBuffer> => value instanceof Uint8Array;

function openDatabase(factory: IDBFactory, name: string, gone: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = factory.open(name, version);
    request.onupgradeneeded = () => {
      request.result.createObjectStore('file');
      request.result.createObjectStore('piece');
    };
    request.onerror = () => reject(request.error ?? new Error(`the files ${name} could not be opened`));
    request.onsuccess = () => {
      const database = request.result;
      database.onclose = gone;
      database.onversionchange = () => {
        database.close();
        gone();
      };
      resolve(database);
    };
  });
}
