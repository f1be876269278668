import { markerOf } from '../store/indexeddb.ts';

/**
 * Deletes a store of `openIndexedDb` or `openIndexedDbFiles` from this device, with all changes that were not sent: for
 * tests and samples alone. Close the client first. The next opening is a first one, not that of an evicted store.
 */
export async function deleteDatabase(name: string, factory: IDBFactory = globalThis.indexedDB): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const request = factory.deleteDatabase(name);
    request.onsuccess = () => resolve();
    request.onerror = () => reject(request.error ?? new Error(`the database ${name} could not be deleted`));
  });
  globalThis.localStorage?.removeItem(markerOf(name));
}
