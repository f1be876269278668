/** The part of a service worker's life-cycle event that this file uses. */
export interface LifeEventLike {
  waitUntil(work: Promise<unknown>): void;
}

/** A message from a page of the app. */
export interface MessageEventLike extends LifeEventLike {
  readonly data: unknown;
}

/** A request of a page of the app. */
export interface FetchEventLike extends LifeEventLike {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

/** The part of a service worker's `self` that this file uses. */
export interface ShellScope {
  readonly location: { readonly href: string; readonly origin: string };
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: LifeEventLike) => void): void;
  addEventListener(type: 'message', listener: (event: MessageEventLike) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEventLike) => void): void;
}

/** The options of `serveShell`: one version of the app's files. */
export interface ShellOptions {
  /** Must change whenever a file changes. */
  readonly version: string;
  /**
   * All files of this version: from an address relative to the worker to its hash (`sha256-…`, as in the attribute
   * `integrity`); an empty text skips the check.
   */
  readonly files: Readonly<Record<string, string>>;
  /** The file that answers every page of the app. Default: `./`, the worker's folder. */
  readonly page?: string;
  /** Paths of the server beside `/api`, with their subpaths, such as `/console`. */
  readonly network?: readonly string[];
  /** Prefix of the caches' names, before the version. */
  readonly name?: string;
}

const takeOverMessage = 'tailgate-shell: take over';

/**
 * Lets an app open without a network. In the app's service worker: `serveShell(self, { version, files })`.
 *
 * The installation caches a version as a whole or not at all. Its pages use files of this version only: a new worker
 * waits until the last page of the old one is closed, or the app calls `takeOverShell`. Paths under `/api` always go to
 * the network and are never cached.
 *
 * @throws Error where `page` is not one of the files
 */
export function serveShell(scope: ShellScope, options: ShellOptions): void {
  const { version, files, page = './', network = [], name = 'tailgate-shell' } = options;
  const absolute = (path: string): string => new URL(path, scope.location.href).href;
  const cached = new Map(Object.entries(files).map(([path, integrity]) => [absolute(path), integrity]));
  const home = absolute(page);
  if (!cached.has(home)) throw new Error(`page: ${page} is none of the files`);
  const cacheName = `${name}:${version}`;
  const isOfServer = (path: string): boolean =>
    ['/api', ...network].some((prefix) => path === prefix || path.startsWith(`${prefix}/`));

  scope.addEventListener('install', (event) => event.waitUntil(cacheAll(cacheName, cached)));
  // No page of another version is open by now.
  scope.addEventListener('activate', (event) =>
    event.waitUntil(deleteOthers(`${name}:`, cacheName).then(() => scope.clients.claim())),
  );
  scope.addEventListener('message', (event) => {
    if (event.data === takeOverMessage) event.waitUntil(scope.skipWaiting());
  });
  scope.addEventListener('fetch', (event) => {
    const { method, mode, url } = event.request;
    const { origin, pathname, href } = new URL(url);
    if (method !== 'GET' || origin !== scope.location.origin || isOfServer(pathname)) return;
    const [file = ''] = href.split(mode === 'navigate' ? /[?#]/ : '#');
    if (cached.has(file)) event.respondWith(answer(cacheName, file, event.request));
    else if (mode === 'navigate') event.respondWith(answer(cacheName, home, event.request));
  });
}

/**
 * In a page: activates the waiting version, and resolves once it is active. Then reload the page: parts that it has not
 * loaded yet are gone.
 *
 * @param registration such as `await navigator.serviceWorker.ready`
 * @returns false where no version waits
 */
export async function takeOverShell({ waiting }: { readonly waiting: ServiceWorker | null }): Promise<boolean> {
  if (!waiting) return false;
  const over = new Promise<void>((resolve) => {
    waiting.addEventListener('statechange', () => waiting.state === 'activated' && resolve());
  });
  waiting.postMessage(takeOverMessage);
  await over;
  return true;
}

/** Caches all files or none: an incomplete version would open, and fail without a network. */
async function cacheAll(cacheName: string, files: ReadonlyMap<string, string>): Promise<void> {
  const answers = await Promise.all(
    [...files].map(async ([href, integrity]) => {
      const response = await fetch(href, { cache: 'no-cache', integrity });
      if (!response.ok) throw new Error(`${href}: the server answered ${response.status}`);
      return [href, await plain(response)] as const;
    }),
  );
  const cache = await caches.open(cacheName);
  try {
    await Promise.all(answers.map(([href, response]) => cache.put(href, response)));
  } catch (error) {
    await caches.delete(cacheName);
    throw error;
  }
}

/**
 * The response in a form that a cache accepts and a page can show: caches reject `Vary: *`, and pages a redirected
 * response.
 */
async function plain(response: Response): Promise<Response> {
  const { status, redirected } = response;
  const headers = new Headers(response.headers);
  const varies = headers.get('vary')?.includes('*') ?? false;
  if (!redirected && !varies) return response;
  headers.delete('vary');
  return new Response(await response.blob(), { status, headers });
}

async function deleteOthers(prefix: string, but: string): Promise<void> {
  const old = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== but);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** Ignores `Vary`, because the cache has a single answer. Fetches an evicted file again. */
async function answer(cacheName: string, href: string, request: Request): Promise<Response> {
  const cache = await caches.open(cacheName);
  return (await cache.match(href, { ignoreVary: true })) ?? fetch(request);
}
