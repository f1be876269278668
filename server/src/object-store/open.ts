import type { Log } from '../runtime/log.ts';
import { StartError } from '../runtime/start-error.ts';
import { StorageUnavailable } from '../db/unavailable.ts';
import type { ObjectStore } from './object-store.ts';
import type { StoreAddress } from '../setting-values.ts';

/**
 * Opens the store of `S3_URL`. Its SDK is loaded only where it is used.
 * @throws StartError where the store refuses its bucket. A store that does not answer is no error: uploads go into rows
 */
export async function openObjectStore(address: StoreAddress | undefined, log: Log): Promise<ObjectStore | undefined> {
  if (!address) return undefined;
  const { S3Store } = await import('./s3-store.ts');
  const store = new S3Store(address);
  try {
    const fault = await store.fault();
    if (fault === undefined) return store;
    store.close();
    throw new StartError(`S3_URL: ${fault}`);
  } catch (err) {
    if (!(err instanceof StorageUnavailable)) throw err;
    log.warn({ err }, 'the object store does not answer: new files go into the database and move later');
    return store;
  }
}
