import type { Client, LocalClient } from '../client.ts';
import type { Store } from '../store/store.ts';
import type { UploadsPart } from '../upload-port.ts';

/** A store that several pages may have open at once. */
export interface SharedStore extends Store {
  /**
   * The client of this page; `start` runs only while no other page runs one (one store, one writer). `outer` is this
   * store as the client sees it, perhaps wrapped. `uploads` end with the client, in every page. Undefined where at most
   * one page exists.
   */
  readonly share?:
    | ((start: () => Promise<LocalClient>, outer: Store, uploads: UploadsPart | undefined) => Promise<Client>)
    | undefined;
  /** Runs `work` while no page runs a client of this store. @throws StoreInUse where one does not end soon */
  readonly alone?: (<T>(work: () => Promise<T>) => Promise<T>) | undefined;
}

/** Runs `work` while no page runs a client of the store. @throws StoreInUse where one does not end soon */
export const alone = <Result>(store: Pick<SharedStore, 'alone'>, work: () => Promise<Result>): Promise<Result> =>
  store.alone ? store.alone(work) : work();
