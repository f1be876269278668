import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request as requestTo } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { BuiltFolder } from '../../../server/src/http/pages/built-folder.ts';
import { buildPage } from '../../../server/web/build/build-page.ts';
import { web } from '../../../server/web/build/sources.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import type { RestServer } from '../../support/rest-server.ts';
import { startRestServer } from '../../support/rest-server.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { WebProxy } from '../../support/web-proxy.ts';

const driverApp = join(web, 'driver');
let folder: string;
let server: RestServer;

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.client.url + path, { headers, redirect: 'manual' });

/** How a client reads what the build has compressed. */
const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync };

const listing = z.object({
  files: z.record(z.string(), z.object({ hashed: z.boolean(), encodings: z.record(z.string(), z.string()) })),
});

/** The built files. A text has compressed copies beside it. */
async function built(): Promise<{ name: string; hashed: boolean; isText: boolean }[]> {
  const { files } = listing.parse(JSON.parse(await readFile(`${folder}.json`, 'utf8')));
  return Object.entries(files).map(([name, { hashed, encodings }]) => {
    return { name, hashed, isText: 'br' in encodings && 'gz' in encodings };
  });
}

/** Sends exactly this path and reads the bytes on the wire: `fetch` would resolve dots and decompress. */
async function getRaw(path: string, encoding = 'identity'): Promise<{ answer: IncomingMessage; bytes: Buffer }> {
  const { hostname, port } = new URL(server.client.url);
  const sent = requestTo({ hostname, port, path, headers: { 'accept-encoding': encoding } }).end();
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', resolve).once('error', reject);
  });
  return { answer, bytes: Buffer.concat(await answer.toArray()) };
}

beforeAll(async () => {
  const pagesFolder = await temporaryFolder();
  folder = join(pagesFolder, 'app');
  const options = { runtime: 'preact', development: false, firstLoadLimit: 1_000_000 } as const;
  await buildPage({ ...options, source: driverApp, folder });
  await buildPage({ ...options, source: join(web, 'office'), folder: join(pagesFolder, 'office') });
  await buildPage({ ...options, source: join(web, 'evidence'), folder: join(pagesFolder, 'evidence') });
  // The pages have no data: they are open under both.
  server = await startRestServer({ access: 'strict', pagesFolder });
});

describe('/app/', () => {
  test('its policy lets the page load from this server only, and no page may frame it', async () => {
    const { status, headers } = await get('/app/');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self'",
        "connect-src 'self'",
        "worker-src 'self'",
        "manifest-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy.join()).not.toMatch(/https?:|\*|unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')/);
    expect(headers.get('permissions-policy')).toMatch(/camera=\(self\), geolocation=\(self\), microphone=\(\)/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('caches keep files with hashed names for good, and ask for the others each time', async () => {
    const files = await built();
    expect(files.filter(({ hashed }) => hashed).length).toBeGreaterThanOrEqual(2);
    for (const { name, hashed } of files) {
      const { status, headers } = await get(`/app/${name}`);
      expect([name, status]).toEqual([name, 200]);
      const expected = hashed ? 'public, max-age=31536000, immutable' : 'no-cache';
      expect([name, headers.get('cache-control')]).toEqual([name, expected]);
      const again = await get(`/app/${name}`, { 'if-none-match': headers.get('etag') ?? '' });
      expect([name, again.status, await again.text()]).toEqual([name, 304, '']);
    }
  });

  test('text is sent as the build compressed it, images as they are', async () => {
    const encodings = { br: '.br', gzip: '.gz' };
    for (const { name, isText } of await built())
      for (const [encoding, suffix] of Object.entries(encodings)) {
        const { answer, bytes } = await getRaw(`/app/${name}`, encoding);
        expect([name, answer.headers['content-encoding']]).toEqual([name, isText ? encoding : undefined]);
        expect(answer.headers.vary).toContain('accept-encoding');
        const copy = await readFile(join(folder, isText ? name + suffix : name));
        expect([name, bytes.equals(copy)]).toEqual([name, true]);
        const decode = isText ? decoders[encoding] : undefined;
        expect([name, (decode?.(bytes) ?? bytes).equals(await readFile(join(folder, name)))]).toEqual([name, true]);
      }
    expect((await get('/app/', { 'accept-encoding': 'gzip, br' })).headers.get('content-encoding')).toBe('br');
    expect((await get('/app/', { 'accept-encoding': 'identity' })).headers.get('content-encoding')).toBeNull();
  });

  test.each([
    ['index.html', 'text/html; charset=utf-8'],
    ['worker.js', 'text/javascript; charset=utf-8'],
    ['manifest.webmanifest', 'application/manifest+json'],
    ['icon.svg', 'image/svg+xml'],
    ['icon-192.png', 'image/png'],
    ['licences.txt', 'text/plain; charset=utf-8'],
  ])('%s has the type %s', async (name, type) => {
    expect((await get(`/app/${name}`)).headers.get('content-type')).toBe(type);
  });

  test('HEAD has the headers of GET without its body', async () => {
    const asked = await get('/app/', { 'accept-encoding': 'br' });
    const head = await fetch(`${server.client.url}/app/`, { method: 'HEAD', headers: { 'accept-encoding': 'br' } });
    const compared = ['content-type', 'etag', 'cache-control', 'content-encoding', 'content-length', 'vary'];
    expect(compared.map((name) => head.headers.get(name))).toEqual(compared.map((name) => asked.headers.get(name)));
    expect(await head.text()).toBe('');
  });

  test('without its slash, a relative redirect leads there and keeps the query', async () => {
    for (const [path, location] of [
      ['/app', 'app/'],
      ['/app?demo', 'app/?demo'],
    ]) {
      const { status, headers } = await get(path ?? '');
      expect([status, headers.get('location')]).toEqual([302, location]);
    }
    expect((await get('/app/?demo')).status).toBe(200);
  });

  test('an unknown address is 404 in the documented form', async () => {
    for (const path of ['/app/stops/7', '/app/main.js', '/app/worker.js.br', '/app/constructor', '/app.json']) {
      const answer = await get(path);
      const body: unknown = await answer.json();
      expect([path, answer.status]).toEqual([path, 404]);
      expect(body).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
    }
  });

  test('no path leaves the folder', async () => {
    await writeFile(join(folder, '../secret.txt'), 'secret');
    const climbing = ['..', '%2e%2e', '..%2f', '%2e%2e%2f', '..%5c', '....//', '/', '%00', '%c0%ae%c0%ae/'];
    const paths = climbing.flatMap((up) => [`/app/${up}/secret.txt`, `/app/${up}secret.txt`]);
    const answers = await Promise.all(paths.map((path) => getRaw(path)));
    const statuses = answers.map(({ answer }, i) => `${paths[i]} ${answer.statusCode}`);
    expect(statuses.filter((line) => !/ 40[04]$/.test(line))).toEqual([]);
  });

  test('works behind the prefix of a proxy', async () => {
    const proxy = await WebProxy.start(server.client.url, { prefix: '/pod' });
    const doors = await fetch(`${proxy.url}/pod/`, { headers: { accept: 'text/html' } });
    const page = await reached(doors, 'app/');
    expect(page.url).toBe(`${proxy.url}/pod/app/`);
    const linked = [...(await page.clone().text()).matchAll(/(?:href|src)="([^"]+)"/g)].map(([, link = '']) => link);
    expect(linked.length).toBeGreaterThanOrEqual(5);
    for (const link of linked) expect([link, (await reached(page, link)).status]).toEqual([link, 200]);
    expect((await fetch(page.url.replace(/\/$/, ''))).url).toBe(page.url);
    const worker = await (await reached(page, 'worker.js')).text();
    expect(worker).not.toMatch(/["'`]\/(?:app|api)\//);
    const manifest = await (await reached(page, 'manifest.webmanifest')).text();
    expect(manifest).not.toMatch(/": "\//);
  });

  const reached = (from: Response, link: string): Promise<Response> => fetch(new URL(link, from.url));
});

describe('/office/', () => {
  test('its policy lets the page load from this server only, no page may frame it, and it needs no device', async () => {
    const { status, headers } = await get('/office/');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = headers.get('content-security-policy')?.split('; ') ?? [];
    expect(policy.toSorted()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self' blob:",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('permissions-policy')).toMatch(/^camera=\(\), geolocation=\(\), microphone=\(\)/);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('without its slash, a relative redirect leads there and keeps the query', async () => {
    const { status, headers } = await get('/office?code=1&state=2');
    expect([status, headers.get('location')]).toEqual([302, 'office/?code=1&state=2']);
  });

  test('has no worker: it needs the server', async () => {
    expect((await get('/office/worker.js')).status).toBe(404);
    expect((await get('/office/licences.txt')).status).toBe(200);
  });
});

describe('/evidence/', () => {
  test('its policy lets the page load from this server only, and no search engine lists it', async () => {
    const { status, headers } = await get('/evidence/');
    expect([status, headers.get('x-robots-tag')]).toEqual([200, 'noindex']);
    expect(headers.get('content-security-policy')?.split('; ').toSorted()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "img-src 'self'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe('the output of the build', () => {
  test('is replaced as a whole; hashed files of the build before are still served', async () => {
    const log = recordedLog();
    const copy = join(await temporaryFolder(), 'app');
    await cp(folder, copy, { recursive: true });
    await cp(`${folder}.json`, `${copy}.json`);
    const pages = new BuiltFolder(copy, log);
    const [script = ''] = (await built()).filter(({ hashed }) => hashed).map(({ name }) => name);
    expect(await pages.find(script)).toBeDefined();

    const options = { source: driverApp, folder: copy, development: true, firstLoadLimit: 1_000_000 } as const;
    await buildPage({ ...options, runtime: 'preact' });
    const html = await pages.find('index.html');
    expect(html?.content.bytes.toString()).toBe(await readFile(join(copy, 'index.html'), 'utf8'));
    expect(await pages.find(script)).toBeDefined();
    expect(log.lines).toEqual([]);
  });

  test('a file that differs from the listing is not served: the server keeps the build before', async () => {
    const log = recordedLog();
    const copy = join(await temporaryFolder(), 'app');
    await cp(folder, copy, { recursive: true });
    const text = await readFile(`${folder}.json`, 'utf8');
    await writeFile(`${copy}.json`, text);
    const pages = new BuiltFolder(copy, log);
    const before = await pages.find('index.html');
    await writeFile(join(copy, 'index.html.br'), 'half of');
    await writeFile(`${copy}.json`, `${text} `);
    expect(await pages.find('index.html')).toBe(before);
    expect(log.lines.map(({ message }) => message)).toEqual([expect.stringContaining('npm run build:web')]);
  });

  test('a listing that names another folder is refused', async () => {
    const log = recordedLog();
    const copy = join(await temporaryFolder(), 'app');
    await writeFile(
      `${copy}.json`,
      JSON.stringify({ files: { '../x': { integrity: '', hashed: false, encodings: {} } } }),
    );
    expect(await new BuiltFolder(copy, log).isBuilt()).toBe(false);
    expect(JSON.stringify(log.lines)).toContain('without a folder');
  });

  test('is missing: a page with 503 and the log report that, and the API works', async () => {
    const empty = await startRestServer({ database: server.database });
    const answer = await fetch(`${empty.client.url}/app/`);
    expect(answer.status).toBe(503);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await answer.text()).toContain('npm run build:web');
    expect((await fetch(`${empty.client.url}/app/worker.js`)).status).toBe(503);
    expect(empty.log.lines.map(({ message }) => message)).toEqual([expect.stringContaining('npm run build:web')]);
    expect((await fetch(`${empty.client.url}/api/health`)).status).toBe(200);
  });

  test('appears while the server runs', async () => {
    const late = join(await temporaryFolder(), 'app');
    const pages = new BuiltFolder(late, recordedLog());
    expect(await pages.find('index.html')).toBeUndefined();
    await cp(folder, late, { recursive: true });
    await cp(`${folder}.json`, `${late}.json`);
    expect(await pages.find('index.html')).toBeDefined();
    await rm(`${late}.json`);
    expect(await pages.find('index.html')).toBeDefined();
  });
});

describe('/', () => {
  test('shows people the driver app, the office and the API, and every link leads somewhere', async () => {
    const doors = await get('/', { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' });
    expect([doors.status, doors.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(doors.headers.get('vary')).toContain('accept');
    expect(doors.headers.get('content-security-policy')).toContain("default-src 'none'");
    const links = [...(await doors.text()).matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toEqual(['doors.css', 'app/', 'app/?demo', 'office/', 'docs', 'docs/channel']);
    for (const link of links) expect([link, (await get(`/${link}`)).status]).toEqual([link, 200]);
  });

  test('is 404 for programs, as before', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const answer = await get('/', { accept });
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ success: false, data: null, error: { code: 'NOT_FOUND' } });
    }
  });
});
