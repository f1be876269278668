import type { Client, SharedStore } from '@tailgate/client-sdk';
import { createClient } from '@tailgate/client-sdk';
import type { FileStore, Uploads } from '@tailgate/client-sdk/uploads';
import { openUploads } from '@tailgate/client-sdk/uploads';

/** How long a change waits on the phone, so that an undo takes it back before anything is sent; ms. */
export const undoWindow = 10_000;

/** Opens the client of this phone, the same in its pages and in the worker: any of them may lead the others. */
export async function openPhoneClient(
  url: string,
  store: SharedStore,
  files: FileStore,
): Promise<{ readonly client: Client; readonly uploads: Uploads }> {
  const uploads = await openUploads({ store: files });
  const client = await createClient({ url, store, uploads, undoWindow, app: 'tailgate-driver' });
  return { client, uploads };
}
