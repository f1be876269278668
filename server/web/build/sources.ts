import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const web = join(root, 'server/web');

/** Folders with the sources of the pages. */
export const sourceFolders = ['server/web', 'server/verify/src', 'client-sdk/src', 'sync-protocol/src'];
const patterns = [
  ...sourceFolders.map((folder) => `${folder}/**/*`),
  // Versions of the libraries, and conditions of the packages' imports.
  ...['package-lock.json', 'client-sdk/package.json', 'sync-protocol/package.json'],
];

/**
 * A hash of all that decides the output: the files and the options of the build. It takes milliseconds, so every start
 * can compare it.
 */
export async function hashSources(options: Readonly<Record<string, string | boolean>>): Promise<string> {
  const paths: string[] = [];
  const outside = ['**/node_modules', '**/dist'];
  for await (const entry of glob(patterns, { cwd: root, exclude: outside, withFileTypes: true }))
    if (entry.isFile()) paths.push(join(entry.parentPath, entry.name));
  const contents = await Promise.all(paths.sort().map((path) => readFile(path)));
  const hash = createHash('sha256');
  hash.update(`${JSON.stringify(options)}\0`);
  for (const [i, content] of contents.entries()) {
    hash.update(`${paths[i]?.slice(root.length)}\0${content.byteLength}\0`);
    hash.update(content);
  }
  return hash.digest('base64url');
}
