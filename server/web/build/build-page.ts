import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Bundle, BundleOptions } from './bundle.ts';
import { bundlePage, bundleWhole } from './bundle.ts';
import { licencesOf } from './licences.ts';
import type { OutputFile } from './output.ts';
import { integrityOf, writeOutput } from './output.ts';
import { linkFiles } from './page.ts';
import { singlePage } from './single-page.ts';
import { hashSources } from './sources.ts';

export interface PageOptions extends BundleOptions {
  /** The folder with the page's `index.html`, `main.tsx`, `public/`, and for a page that opens offline `worker.ts`. */
  readonly source: string;
  /** The output: its files, and beside it `FOLDER.json`. */
  readonly folder: string;
  /** The most bytes of the first load, compressed by gzip. */
  readonly firstLoadLimit: number;
  /** A further page of one file among its files: its name, and the folder of its sources. */
  readonly single?: { readonly name: string; readonly source: string } | undefined;
}

export interface BuiltPage {
  /** Compressed bytes (gzip) by file, of everything that the page loads before it runs. */
  readonly firstLoad: ReadonlyMap<string, number>;
}

/** Builds one page. A page above its limit fails before anything is written. */
export async function buildPage(options: PageOptions): Promise<BuiltPage> {
  const { source, folder, firstLoadLimit, runtime, development } = options;
  const [sources, bundle, worker] = await Promise.all([
    hashSources({ runtime, development }),
    bundlePage(source, options),
    existsSync(join(source, 'worker.ts')) ? bundleWhole(source, 'worker.ts', options) : undefined,
  ]);
  const named = new Map(await publicFiles(source));
  named.set('index.html', Buffer.from(linkFiles(await readFile(join(source, 'index.html'), 'utf8'), bundle)));
  named.set('files.json', Buffer.from(JSON.stringify([...bundle.files.keys()].sort())));
  if (options.single) named.set(options.single.name, await singlePage(options.single.source, options));
  named.set('licences.txt', Buffer.from(await licencesOf([...bundle.inputs, ...(worker?.inputs ?? [])])));
  const offline = new Map([...named, ...bundle.files].sort(([a], [b]) => (a < b ? -1 : 1)));
  const firstLoad = weigh(offline, bundle);
  const over = sum(firstLoad) - firstLoadLimit;
  if (!development && over > 0)
    throw new Error(`the first load is ${over} bytes above its limit of ${firstLoadLimit}:\n${shares(firstLoad)}`);

  if (worker) named.set('worker.js', Buffer.from(shellOf(offline) + worker.code));
  const files = new Map<string, OutputFile>();
  for (const [name, bytes] of named) files.set(name, { bytes, hashed: false });
  for (const [name, bytes] of bundle.files) files.set(name, { bytes, hashed: true });
  await writeOutput(folder, files, sources);
  return { firstLoad };
}

/** The worker's list: every file of this version but the worker itself, relative to the worker. */
function shellOf(files: ReadonlyMap<string, Uint8Array>): string {
  const list = JSON.stringify(
    Object.fromEntries(
      [...files].map(([name, bytes]) => [name === 'index.html' ? './' : `./${name}`, integrityOf(bytes)]),
    ),
  );
  return `const SHELL_FILES=${list},SHELL_VERSION=${JSON.stringify(integrityOf(Buffer.from(list)))};\n`;
}

/** Icons, the manifest and the like: files that keep their names. */
async function publicFiles(source: string): Promise<(readonly [name: string, content: Uint8Array])[]> {
  const folder = join(source, 'public');
  const names = await readdir(folder);
  return Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))] as const));
}

function weigh(files: ReadonlyMap<string, Uint8Array>, { scripts, style }: Bundle): Map<string, number> {
  const names = ['index.html', ...(style === undefined ? [] : [style]), ...scripts];
  return new Map(names.map((name) => [name, gzipSync(files.get(name) ?? '', { level: 9 }).byteLength]));
}

export const sum = (bytes: ReadonlyMap<string, number>): number =>
  [...bytes.values()].reduce((all, each) => all + each, 0);

export const shares = (bytes: ReadonlyMap<string, number>): string =>
  [...bytes].map(([name, each]) => `${String(each).padStart(9)}  ${name}`).join('\n');
