import type { Client } from './client.ts';
import type { Status } from './engine/status.ts';
import { hasSendable } from './engine/status.ts';

/** The tag of the browser's background sync for queues and files. */
export const syncTag = 'tailgate-drain';

/** The part of a service worker's `sync` event that this file uses. */
export interface SyncEventLike {
  readonly tag: string;
  waitUntil(work: Promise<unknown>): void;
}

/**
 * Sends changes and files while no page is open. In the app's service worker:
 *
 *   self.addEventListener('sync', (event) => drainOnSync(event, async () => {
 *     const uploads = await openUploads({ store: await openIndexedDbFiles() });
 *     return createClient({ url, store: await openIndexedDb(), uploads });
 *   }));
 *
 * The worker acts as one more page: where another page leads, the worker waits until that one has drained. The browser
 * repeats an incomplete run at a time of its choice.
 *
 * @param open opens the client as the app's pages do
 * @param patienceMs the longest run; browsers end a worker after some minutes, and an orderly end is better
 */
export function drainOnSync(event: SyncEventLike, open: () => Promise<Client>, patienceMs = 120_000): void {
  if (event.tag === syncTag) event.waitUntil(drain(open, patienceMs));
}

async function drain(open: () => Promise<Client>, patienceMs: number): Promise<void> {
  const client = await open();
  try {
    await drained(client, patienceMs);
  } finally {
    await client.close();
  }
}

/** Whether this device can still send something. */
const isLeft = (status: Status): boolean => Object.keys(status.uploading).length > 0 || hasSendable(status);

/** Rejects where something is left, so that the browser tries again. */
function drained({ status }: Client, patienceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop();
      reject(new Error('not everything was sent: the browser is to try again'));
    }, patienceMs);
    const check = (): void => {
      if (isLeft(status.current)) return;
      clearTimeout(timer);
      stop();
      resolve();
    };
    const stop = status.subscribe(check);
    check();
  });
}

interface SyncManagerLike {
  register(tag: string): Promise<void>;
}
const hasSync = (registration: object): registration is { readonly sync: SyncManagerLike } =>
  'sync' in registration && typeof registration.sync === 'object' && registration.sync !== null;

/**
 * Asks the browser to wake the service worker when a network is available, even without a page. Call it after a change
 * was recorded, or a file added, while `status` was not online.
 *
 * @param registration such as `await navigator.serviceWorker.ready`
 * @returns false where the browser has no background sync (Safari, Firefox), or the person has switched it off; the
 * queue then drains when a page is next open
 */
export async function requestBackgroundSync(registration: object): Promise<boolean> {
  if (!hasSync(registration)) return false;
  try {
    await registration.sync.register(syncTag);
    return true;
  } catch {
    // Refused (NotAllowedError): the same as a browser without it.
    return false;
  }
}
