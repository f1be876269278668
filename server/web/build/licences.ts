import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './sources.ts';

/** Packages of third parties among the inputs of a bundle, by their folders. */
function packageFolders(inputs: readonly string[]): string[] {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/**
 * The licences of all packages in the output, as most of them demand.
 *
 * @param inputs files of the bundles, relative to the repository
 * @throws Error where a package has no licence file
 */
export async function licencesOf(inputs: readonly string[]): Promise<string> {
  const parts = packageFolders(inputs).map(async (folder) => {
    const path = join(root, folder);
    const names = await readdir(path);
    const licence = names.find((name) => /^licen[cs]e/i.test(name));
    if (licence === undefined) throw new Error(`${folder} has no licence file`);
    const text = await readFile(join(path, licence), 'utf8');
    return `${folder.replace(/^.*node_modules\//, '')}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(parts)).join(`\n${'-'.repeat(80)}\n\n`);
}
