import { Database } from '../store/indexeddb-database.ts';
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
  readonly #database: Database;

  constructor(name: string, factory: IDBFactory) {
    this.#database = new Database(factory, { name, version, upgrade });
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
