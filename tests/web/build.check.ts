import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { buildPage, sum } from '../../server/web/build/build-page.ts';
import { readListing } from '../../server/web/build/output.ts';
import { web } from '../../server/web/build/sources.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const options = { runtime: 'preact', development: false, firstLoadLimit: 110_000 } as const;

/** A small page; a test replaces single files of it. */
const small = {
  'index.html': '<!doctype html><title>Small</title><script type="module" src="./main.tsx"></script>',
  'main.tsx': `import './main.css'; document.title = 'one'; void import('./later.ts');`,
  'later.ts': `document.title = 'later';`,
  'main.css': 'p { color: red }',
  'worker.ts': 'console.log(SHELL_VERSION, SHELL_FILES);',
  'public/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
};

async function pageOf(changed: Record<string, string> = {}): Promise<{ source: string; folder: string }> {
  const home = await temporaryFolder();
  const source = join(home, 'page');
  await mkdir(join(source, 'public'), { recursive: true });
  for (const [name, text] of Object.entries({ ...small, ...changed })) await writeFile(join(source, name), text);
  return { source, folder: join(home, 'out/app') };
}

/** The hash of every file of an output, the listing included. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const paths = [...(await readdir(folder)).sort().map((name) => join(folder, name)), `${folder}.json`];
  const hashes = await Promise.all(paths.map(async (path) => [basename(path), hashOf(await readFile(path))] as const));
  return Object.fromEntries(hashes);
}

const listing = z.object({
  files: z.record(z.string(), z.object({ integrity: z.string(), hashed: z.boolean() })),
});
const listedIn = async (folder: string) => listing.parse(JSON.parse(await readFile(`${folder}.json`, 'utf8'))).files;

const hashOf = (bytes: Buffer): string => `sha256-${createHash('sha256').update(bytes).digest('base64')}`;

/** The list of files at the head of a built worker. */
async function listOfWorker(folder: string): Promise<Record<string, string>> {
  const code = await readFile(join(folder, 'worker.js'), 'utf8');
  return z.record(z.string(), z.string()).parse(JSON.parse(/SHELL_FILES=(\{.*?\})/.exec(code)?.[1] ?? ''));
}

describe('the build of the driver app', () => {
  let folder: string;
  let bytes: number;

  beforeAll(async () => {
    folder = join(await temporaryFolder(), 'app');
    bytes = sum((await buildPage({ ...options, source: join(web, 'driver'), folder })).firstLoad);
  });

  test('weighs what a phone loads first: the page, its style, its script and what that imports at once', async () => {
    const html = await readFile(join(folder, 'index.html'), 'utf8');
    const linked = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.(?:js|css))"/g)].map(([, name = '']) => name);
    const loaded = await Promise.all(['index.html', ...linked].map((name) => readFile(join(folder, name))));
    expect(bytes).toBe(loaded.reduce((all, file) => all + gzipSync(file, { level: 9 }).byteLength, 0));
    const scripts = linked.filter((name) => name.endsWith('.js'));
    for (const script of scripts) {
      const code = await readFile(join(folder, script), 'utf8');
      const imported = [...code.matchAll(/(?:\bfrom|\bimport)"\.\/([\w.-]+)"/g)].map(([, name = '']) => name);
      expect(imported.filter((name) => !scripts.includes(name))).toEqual([]);
    }
  });

  test('the worker lists every file but itself, with its hash', async () => {
    const list = await listOfWorker(folder);
    const names = Object.keys(await listedIn(folder)).filter((name) => name !== 'worker.js');
    expect(Object.keys(list).sort()).toEqual(names.map((name) => (name === 'index.html' ? './' : `./${name}`)).sort());
    for (const [address, integrity] of Object.entries(list))
      expect([address, integrity]).toEqual([
        address,
        hashOf(await readFile(join(folder, address === './' ? 'index.html' : address))),
      ]);
  });

  test('beside each text are copies that decompress to it', async () => {
    for (const name of Object.keys(await listedIn(folder)).filter((each) => !each.endsWith('.png'))) {
      const plain = await readFile(join(folder, name));
      expect([name, brotliDecompressSync(await readFile(join(folder, `${name}.br`))).equals(plain)]).toEqual([
        name,
        true,
      ]);
      expect([name, gunzipSync(await readFile(join(folder, `${name}.gz`))).equals(plain)]).toEqual([name, true]);
    }
  });

  test('has Preact in the place of React, and a licence of each package in it', async () => {
    const licences = await readFile(join(folder, 'licences.txt'), 'utf8');
    expect(licences).toMatch(/^preact$/m);
    expect(licences).toMatch(/^tus-js-client$/m);
    expect(licences).not.toMatch(/^react$/m);
    expect(licences.match(/MIT/g)?.length).toBeGreaterThanOrEqual(2);
  });

  test('builds with React, too', async () => {
    const other = join(await temporaryFolder(), 'app');
    await buildPage({
      ...options,
      source: join(web, 'driver'),
      folder: other,
      runtime: 'react',
      firstLoadLimit: 1_000_000,
    });
    const licences = await readFile(join(other, 'licences.txt'), 'utf8');
    expect(licences).toMatch(/^react-dom$/m);
    expect(licences).not.toMatch(/^preact$/m);
  });
});

describe('a build', () => {
  test('of the same sources has the same names and bytes', async () => {
    const page = await pageOf();
    await buildPage({ ...options, ...page });
    const first = await contentOf(page.folder);
    const other = join(await temporaryFolder(), 'app');
    await buildPage({ ...options, ...page, folder: other });
    expect(await contentOf(other)).toEqual(first);
    await buildPage({ ...options, ...page });
    expect(await contentOf(page.folder)).toEqual(first);
  });

  test('of another source has another name for it, another version, and no file of the build before', async () => {
    const page = await pageOf();
    await buildPage({ ...options, ...page });
    const before = await listedIn(page.folder);
    await writeFile(join(page.folder, 'of-a-person.txt'), 'kept');
    await writeFile(join(page.source, 'later.ts'), `document.title = 'much later';`);
    await buildPage({ ...options, ...page });
    const after = await listedIn(page.folder);
    const hashed = (files: typeof after): string[] => Object.keys(files).filter((name) => files[name]?.hashed);
    expect(hashed(after)).toHaveLength(hashed(before).length);
    // The part itself, and the script that names it.
    expect(hashed(after).filter((name) => !(name in before))).toHaveLength(2);
    expect(after['worker.js']).not.toEqual(before['worker.js']);
    const present = await readdir(page.folder);
    expect(hashed(before).filter((name) => !(name in after) && present.includes(name))).toEqual([]);
    expect(present).toContain('of-a-person.txt');
  });

  test('for development is no build for `npm start`: the listing shows the options', async () => {
    const page = await pageOf();
    await buildPage({ ...options, ...page });
    const { sources } = await readListing(page.folder);
    await buildPage({ ...options, ...page, development: true });
    expect((await readListing(page.folder)).sources).not.toBe(sources);
    await buildPage({ ...options, ...page });
    expect((await readListing(page.folder)).sources).toBe(sources);
  });

  test('above the limit fails with each share, and the output stays as it was', async () => {
    const page = await pageOf();
    await buildPage({ ...options, ...page });
    const before = await contentOf(page.folder);
    await writeFile(join(page.source, 'main.tsx'), `document.title = 'two'; import './main.css';`);
    const failing = buildPage({ ...options, ...page, firstLoadLimit: 100 });
    await expect(failing).rejects.toThrow(/the first load is \d+ bytes above its limit of 100:\n +\d+ {2}index\.html/);
    expect(await contentOf(page.folder)).toEqual(before);
  });

  test.each([
    '<script>start()</script>',
    '<style>p {}</style>',
    '<p style="color: red">',
    '<button onclick="start()">',
    '<a href="javascript:start()">',
  ])('refuses inline code in the page: %s', async (code) => {
    const page = await pageOf({ 'index.html': `${small['index.html']}${code}` });
    await expect(buildPage({ ...options, ...page })).rejects.toThrow('inline code');
  });

  test('refuses a style that only a later part imports: no page would link it', async () => {
    const page = await pageOf({ 'later.ts': `import './late.css';`, 'late.css': 'p { color: blue }' });
    await expect(buildPage({ ...options, ...page })).rejects.toThrow(/late\.css.* Import it in main\.tsx/);
  });

  test('names the place of a wrong source', async () => {
    const page = await pageOf({ 'main.tsx': `import './nothing.ts';` });
    await expect(buildPage({ ...options, ...page })).rejects.toThrow(
      /main\.tsx:1:7: ERROR: Could not resolve "\.\/nothing\.ts"/,
    );
  });
});
