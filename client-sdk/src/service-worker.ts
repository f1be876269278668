import type { Client } from './client.ts';
import type { Status } from './engine/status.ts';

/** The tag of the browser's background sync under which queues and files are sent. */
export const syncTag = 'tailgate-drain';

/** What of a service worker's `sync` event is used. */
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
 * The worker is one more page: where another one leads, it watches that one drain. What is not done when the browser's
 * patience ends is tried again at a time of the browser's choice.
 *
 * @param open as the app's pages open their client
 * @param patienceMs browsers end a worker after some minutes; it is better to end by oneself
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

/** Whether something is left that this device can send: what awaits a sign-in is not. */
const isLeft = ({ pending, awaitsSignIn, uploading }: Status): boolean =>
  Object.keys(uploading).length > 0 ||
  Object.entries(pending).some(([employee, count]) => count > (awaitsSignIn[employee] ?? 0));

/** Rejects where something is left, so that the browser asks again. */
function drained({ status }: Client, patienceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop();
      reject(new Error('not everything was sent: the browser is to try again'));
    }, patienceMs);
    const look = (): void => {
      if (isLeft(status.current)) return;
      clearTimeout(timer);
      stop();
      resolve();
    };
    const stop = status.subscribe(look);
    look();
  });
}

interface SyncManagerLike {
  register(tag: string): Promise<void>;
}
const hasSync = (registration: object): registration is { readonly sync: SyncManagerLike } =>
  'sync' in registration && typeof registration.sync === 'object' && registration.sync !== null;

/**
 * Asks the browser to wake the service worker when there is a network, page or no page; call it after a change was
 * recorded, or a file added, while `status` was not online.
 *
 * @param registration such as `await navigator.serviceWorker.ready`
 * @returns false where the browser has no background sync (Safari, Firefox) or the person has switched it off: then the
 *   queue drains when a page is next open, as it does anyway
 */
export async function requestBackgroundSync(registration: object): Promise<boolean> {
  if (!hasSync(registration)) return false;
  try {
    await registration.sync.register(syncTag);
    return true;
  } catch {
    // Refused (NotAllowedError): the answer is the same as not having it.
    return false;
  }
}
