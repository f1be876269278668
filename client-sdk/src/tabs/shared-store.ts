import type { Client, LocalClient } from '../client.ts';
import type { Store } from '../store/store.ts';
import type { UploadsPart } from '../upload-port.ts';

/** A store that several pages may have open at once. */
export interface SharedStore extends Store {
  /**
   * The client of this page, which `start` runs only while no other page does (one store, one writer). `outer` is this
   * store as the client has it: a wrapper around it, perhaps. `uploads` end with the client, in every page. Undefined
   * where there is one page at most.
   */
  readonly share?:
    | ((start: () => Promise<LocalClient>, outer: Store, uploads: UploadsPart | undefined) => Promise<Client>)
    | undefined;
}
