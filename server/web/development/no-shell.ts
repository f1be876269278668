/** The part of a service worker's `self` that this file uses. */
interface WorkerScope {
  readonly registration: { unregister(): Promise<boolean> };
  readonly clients: {
    matchAll(): Promise<readonly { readonly url: string; navigate(url: string): Promise<unknown> }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(
    type: 'install' | 'activate',
    listener: (event: { waitUntil(work: Promise<unknown>): void }) => void,
  ): void;
}

/**
 * The worker of `npm run dev`: replaces one that `npm start` has left in this browser, and removes itself. A cached page
 * would hide every change.
 */
export function removeShell(scope: WorkerScope): void {
  scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
  scope.addEventListener('activate', (event) => event.waitUntil(remove(scope)));
}

async function remove({ registration, clients }: WorkerScope): Promise<void> {
  await registration.unregister();
  const pages = await clients.matchAll();
  await Promise.all(pages.map((page) => page.navigate(page.url)));
}
