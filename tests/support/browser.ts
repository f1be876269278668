import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, request as requestTo } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.ts';
import { atFileEnd } from './file-end.ts';

/**
 * A headless Chromium. It ends with the test file.
 *
 * @param more arguments of Chromium, such as those of its fake camera
 */
export async function startBrowser(more: readonly string[] = []): Promise<Browser> {
  const { executablePath, libraries } = await findChromium();
  const browser = await chromium.launch({
    ...(executablePath === undefined ? { channel: 'chrome' } : { executablePath }),
    // Test machines are containers, where Chromium's own sandbox has no rights.
    args: ['--no-sandbox', '--disable-gpu', ...more],
    ...(libraries !== undefined && { env: { ...definedEnvironment(), LD_LIBRARY_PATH: libraries } }),
  });
  atFileEnd(() => browser.close());
  return browser;
}

/** The environment without what is unset. */
const definedEnvironment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined));

/**
 * A page on loopback that runs `script`, bundled as an app would bundle it, with `/api` of `api` on its own origin.
 * @param script a module in TypeScript; it imports from the workspace's packages
 * @param worker one more, at `/worker.js`, for a service worker
 * @returns its address
 */
export async function servePage(script: string, api: string, worker = ''): Promise<string> {
  const modules = new Map([...(await bundle('app', script)), ...(await bundle('worker', worker))]);
  const server = createServer((incoming, response) => {
    if (incoming.url?.startsWith('/api/')) return forward(api, incoming, response);
    const code = modules.get(incoming.url ?? '/');
    response.writeHead(200, { 'content-type': code === undefined ? 'text/html; charset=utf-8' : 'text/javascript' });
    response.end(code ?? '<!doctype html><title>Tailgate</title><script type="module" src="/app.js"></script>');
  });
  forwardUpgrades(server, api);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atFileEnd(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the page has no port');
  return `http://127.0.0.1:${address.port}/`;
}

/** Opens the page and waits until its script has set `globalThis.ready`. */
export async function openPage(context: BrowserContext, address: string) {
  const page = await context.newPage();
  await page.goto(address);
  await untilReady(page);
  return page;
}

/**
 * The interval of page polls, in ms. Playwright's default, once a frame, stops while a busy machine starves the single
 * process that draws all pages.
 */
export const byTimer = { polling: 20 };

/** Resolves once the page's script has set `globalThis.ready`. */
export async function untilReady(page: Page): Promise<void> {
  await page.waitForFunction('globalThis.ready === true', undefined, byTimer);
}

/** Kills the page's process, as a phone that needs memory does: no handler of the page runs. */
export async function crashPage(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  // It never answers: it is gone.
  devtools.send('Page.crash').catch(() => undefined);
  await crashed;
}

/** As a platform does with a page in the background: it holds its locks, and none of its tasks runs any more. */
export async function freezePage(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Debugger.enable');
  const frozen = new Promise((resolve) => devtools.once('Debugger.paused', resolve));
  // It stops at the next statement, and never answers.
  devtools.send('Runtime.evaluate', { expression: 'debugger' }).catch(() => undefined);
  await frozen;
}

/** Files by path. Lazily loaded modules of a page are files of their own; a worker is one file. */
async function bundle(name: 'app' | 'worker', script: string): Promise<(readonly [path: string, code: string])[]> {
  const { outputFiles } = await build({
    stdin: { contents: script, loader: 'ts', resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    bundle: true,
    splitting: name === 'app',
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['source'],
    outdir: '/',
    entryNames: name,
    write: false,
  });
  return outputFiles.map(({ path, text }) => [path, text]);
}

function forward(api: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = '/' } = incoming;
  const outgoing = requestTo(new URL(url, api), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  incoming.pipe(outgoing);
}

/** WebSockets pass as bytes, the request line and headers first. */
function forwardUpgrades(server: Server, api: string): void {
  server.on('upgrade', (incoming, socket, head) => {
    const target = connect(Number(new URL(api).port), '127.0.0.1', () => {
      const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
      for (let i = 0; i < incoming.rawHeaders.length; i += 2)
        lines.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}`);
      target.write(`${lines.join('\r\n')}\r\n\r\n`);
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    const end = (): void => {
      target.destroy();
      socket.destroy();
    };
    for (const side of [target, socket]) side.on('error', end).on('close', end);
  });
}
