import { Database } from '../store/indexeddb-database.ts';
import type { Row } from '../store/store.ts';
import type { FileStore } from './file-store.ts';
import { pieceKey } from './file-store.ts';

const version = 1;

/** Opens the files in the browser's IndexedDB, in a database of their own. Any number of pages may have it open. */
export async function openIndexedDbFiles(
  name = 'tailgate-files',
  factory: IDBFactory = globalThis.indexedDB,
): Promise<FileStore> {
  const store = new IndexedDbFiles(name, factory);
  // Fails here where the platform denies storage, not at the driver's first photo.
  await store.files();
  return store;
}

class IndexedDbFiles implements FileStore {
  readonly name: string;
  readonly #database: Database;

  constructor(name: string, factory: IDBFactory) {
    this.name = name;
    this.#database = new Database(factory, { name, version, upgrade });
  }

  files(): Promise<Row[]> {
    return this.#database.inTransaction('readonly', ['file'], 'strict', (transaction) => {
      const files = transaction.objectStore('file');
      const [keys, values] = [files.getAllKeys(), files.getAll()];
      return () =>
        keys.result.flatMap((key, i): Row[] => (typeof key === 'string' ? [{ key, value: values.result[i] }] : []));
    });
  }

  async put(id: string, facts: unknown, pieces: readonly Uint8Array<ArrayBuffer>[] = []): Promise<void> {
    await this.#inTransaction('readwrite', (of) => {
      for (const [i, piece] of pieces.entries()) of('piece').put(piece, pieceKey(id, i));
      return of('file').put(facts, id);
    });
  }

  async piece(id: string, index: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const found = await this.#inTransaction<unknown>('readonly', (of) => of('piece').get(pieceKey(id, index)));
    return isBytes(found) ? found : undefined;
  }

  async remove(id: string): Promise<void> {
    await this.#inTransaction('readwrite', (of) => {
      of('piece').delete(IDBKeyRange.bound(pieceKey(id, ''), `${pieceKey(id, '')}\uffff`));
      return of('file').delete(id);
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  #inTransaction<Result>(
    mode: IDBTransactionMode,
    work: (of: (store: 'file' | 'piece') => IDBObjectStore) => IDBRequest<Result>,
  ): Promise<Result> {
    return this.#database.inTransaction(mode, ['file', 'piece'], 'strict', (transaction) => {
      const request = work((store) => transaction.objectStore(store));
      return () => request.result;
    });
  }
}

const isBytes = (value: unknown): value is Uint8Array<ArrayBuffer> => value instanceof Uint8Array;

function upgrade(database: IDBDatabase): void {
  database.createObjectStore('file');
  database.createObjectStore('piece');
}
