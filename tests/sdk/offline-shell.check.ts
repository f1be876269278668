import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { FetchEventLike, MessageEventLike, ShellScope } from '@tailgate/client-sdk/offline-shell';
import { serveShell } from '@tailgate/client-sdk/offline-shell';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { byTimer, startBrowser } from '../support/browser.ts';
import { atFileEnd } from '../support/file-end.ts';
import { reservePort } from '../support/reserved-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** An app of two files. It loads the second file on demand. */
const app = (version: string) => `
import { takeOverShell } from '@tailgate/client-sdk/offline-shell';
globalThis.takeOver = async () => takeOverShell(await navigator.serviceWorker.ready);
globalThis.version = '${version}';
globalThis.later = async () => (await import('./later.ts')).text;
globalThis.api = (path) => fetch(path).then((response) => response.text(), () => 'no network');
navigator.serviceWorker.register('/worker.js');
`;

/** The bundler takes the packages as source, so that no build is necessary before a test. */
const bundlerOfSources = `
const { build } = require(${JSON.stringify(join(root, 'node_modules/esbuild'))});
exports.build = (options) => build({ ...options, conditions: ['source'] });
`;

/** A server of an app's files that a test can stop and start. */
class Deployment {
  readonly #folder: string;
  readonly #port: number;
  #server: Server | undefined;
  /** The requested paths. */
  readonly asked: string[] = [];

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
  }

  static async make(): Promise<Deployment> {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'node_modules/esbuild'), { recursive: true });
    await symlink(join(root, 'node_modules/@tailgate'), join(folder, 'node_modules/@tailgate'));
    await writeFile(join(folder, 'node_modules/esbuild/index.js'), bundlerOfSources);
    const readme = await readFile(join(root, 'client-sdk/README.md'), 'utf8');
    for (const name of ['worker.js', 'build-worker.mjs']) {
      const [, code = ''] = new RegExp('```js ' + name.replace('.', '\\.') + '\\n([^]*?)```').exec(readme) ?? [];
      await writeFile(join(folder, name), code);
    }
    return new Deployment(folder, await reservePort());
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}/`;
  }

  /** As the build of an app and the recipe produce it. */
  async release(version: string): Promise<void> {
    const dist = join(this.#folder, 'dist');
    await mkdir(dist, { recursive: true });
    await writeFile(join(this.#folder, 'app.ts'), app(version));
    await writeFile(join(this.#folder, 'later.ts'), `export const text = 'later of ${version}';`);
    await build({
      entryPoints: [join(this.#folder, 'app.ts')],
      bundle: true,
      splitting: true,
      format: 'esm',
      outdir: dist,
      chunkNames: '[name]-[hash]',
      conditions: ['source'],
    });
    const script = '<script type="module" crossorigin src="/app.js"></script>';
    await writeFile(join(dist, 'index.html'), `<!doctype html><title>${version}</title>${script}`);
    await run(process.execPath, ['build-worker.mjs', 'dist'], { cwd: this.#folder });
  }

  /** Replaces a file by another one. */
  async corrupt(name: string): Promise<void> {
    await writeFile(join(this.#folder, 'dist', name), '<!doctype html><title>another page</title>');
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response));
    this.#server = server;
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    atFileEnd(() => this.stop());
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.address);
    this.asked.push(pathname);
    const path = join(this.#folder, 'dist', pathname === '/' ? 'index.html' : pathname);
    const content = pathname.startsWith('/api') ? 'of the server' : await readFile(path).catch(() => undefined);
    // Proxies add this header though there is only one variant. A cache that respects it finds nothing.
    response.setHeader('vary', pathname === '/' ? '*' : 'Origin, Accept');
    response.setHeader('cache-control', 'no-cache');
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html';
    response.writeHead(content === undefined ? 404 : 200, { 'content-type': type }).end(content);
  }

  /** Takes the network away. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
}

test('the shell does not touch the server’s answers, and refuses a page that is not a file', () => {
  const fetched: ((event: FetchEventLike & MessageEventLike) => void)[] = [];
  const scope: ShellScope = {
    location: { href: 'https://pod.example.com/worker.js', origin: 'https://pod.example.com' },
    clients: { claim: () => Promise.resolve() },
    skipWaiting: () => Promise.resolve(),
    addEventListener: (type: string, listener: (event: FetchEventLike & MessageEventLike) => void) => {
      if (type === 'fetch') fetched.push(listener);
    },
  };
  const version = { version: '1', files: { './': '', './app.js': '' } };
  expect(() => serveShell(scope, { ...version, page: './index.html' })).toThrow(
    'page: ./index.html is none of the files',
  );
  serveShell(scope, { ...version, network: ['/console'] });
  const isAnswered = (path: string, init: RequestInit = {}): boolean => {
    const respondWith = vi.fn<FetchEventLike['respondWith']>((answer) => void answer.catch(() => undefined));
    const request = new Request(new URL(path, 'https://pod.example.com'), init);
    for (const listener of fetched) listener({ request, respondWith, waitUntil: () => undefined, data: undefined });
    return respondWith.mock.calls.length > 0;
  };
  expect(['/app.js', '/', '/app.js#part'].map((path) => isAnswered(path))).toEqual([true, true, true]);
  const others = ['/api', '/api/v20/route', '/console', '/console/devices', '/other.js', '/app.js?v=2'];
  expect(others.filter((path) => isAnswered(path))).toEqual([]);
  expect(isAnswered('https://elsewhere.example.com/app.js')).toBe(false);
  expect(isAnswered('/app.js', { method: 'POST' })).toBe(false);
});

let deployment: Deployment;
let context: BrowserContext;

async function open(path = ''): Promise<Page> {
  const page = await context.newPage();
  await page.goto(deployment.address + path);
  await page.waitForFunction('globalThis.version', undefined, byTimer);
  return page;
}

async function titleOfNew(): Promise<string> {
  const page = await open();
  const title = await page.title();
  await page.close();
  return title;
}

/** Requests an update and waits until the new version is ready. */
const untilWaiting = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    await registration.update();
    const { installing } = registration;
    if (registration.waiting || !installing) return;
    await new Promise<void>((resolve) => {
      installing.addEventListener('statechange', () => installing.state === 'installed' && resolve());
    });
  });

/** Waits until a worker controls the page. Its version is cached by then. */
const controlled = (page: Page) => page.waitForFunction('navigator.serviceWorker.controller', undefined, byTimer);

describe('the offline shell, in a real Chromium', () => {
  beforeEach(async () => {
    deployment = await Deployment.make();
    await deployment.release('one');
    await deployment.start();
    context = await (await startBrowser()).newContext();
  });

  test('opens without a network, at any address of the app, with files that load later', async () => {
    const first = await open();
    await controlled(first);
    expect(await first.evaluate('globalThis.api("/api/health")')).toBe('of the server');
    await first.close();
    await deployment.stop();

    const page = await open('stops/7?from=mail');
    expect(await page.title()).toBe('one');
    expect(await page.evaluate('globalThis.later()')).toBe('later of one');
    expect(await page.evaluate('globalThis.api("/api/health")')).toBe('no network');
    const cached = await page.evaluate(async () => {
      const names = await caches.keys();
      const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return requests.flat().map(({ url }) => new URL(url).pathname);
    });
    expect(cached.filter((path) => path.startsWith('/api'))).toEqual([]);
    expect(cached).toEqual(expect.arrayContaining(['/', '/app.js']));
    await context.close();
  });

  test('activates a new version, as a whole, after the last page of the old one has closed', async () => {
    const page = await open();
    await controlled(page);
    await deployment.release('two');
    await untilWaiting(page);
    await page.reload();
    await page.waitForFunction('globalThis.version', undefined, byTimer);
    expect(await page.title()).toBe('one');
    expect(await page.evaluate('globalThis.later()')).toBe('later of one');

    await page.close();
    await expect.poll(titleOfNew).toBe('two');
    await deployment.stop();
    const next = await open();
    expect(await next.evaluate('globalThis.later()')).toBe('later of two');
    expect(await next.evaluate('caches.keys().then((names) => names.length)')).toBe(1);
    await context.close();
  });

  test("activates a waiting version at the app's request", async () => {
    const page = await open();
    await controlled(page);
    expect(await page.evaluate('globalThis.takeOver()')).toBe(false);
    await deployment.release('two');
    await untilWaiting(page);
    expect(await page.evaluate('globalThis.takeOver()')).toBe(true);
    await page.reload();
    await page.waitForFunction('globalThis.version', undefined, byTimer);
    expect(await page.title()).toBe('two');
    await context.close();
  });

  test('does not cache a version with a missing or different file', async () => {
    const page = await open();
    await controlled(page);
    await deployment.release('two');
    // A half-finished deployment: the page differs from the worker's list.
    await deployment.corrupt('index.html');
    const failed = await page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready;
      const found = new Promise<ServiceWorker | null>((resolve) => {
        registration.addEventListener('updatefound', () => resolve(registration.installing));
      });
      await registration.update();
      const worker = await found;
      return new Promise<string>((resolve) => {
        worker?.addEventListener('statechange', () => resolve(worker.state));
      });
    });
    expect(failed).toBe('redundant');
    await deployment.stop();
    await page.reload();
    await page.waitForFunction('globalThis.version', undefined, byTimer);
    expect(await page.evaluate('globalThis.later()')).toBe('later of one');
    await context.close();
  });
});
