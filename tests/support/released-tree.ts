import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './temporary-folder.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** The last released state of the service. A release sets it anew. */
const RELEASED = '76296c489ac80e349af2fc14be0db791b21d9f0a';
/** The parts that a server and a phone run. */
const PARTS = ['package.json', 'tsconfig.json', 'sync-protocol', 'client-sdk', 'server'];

/**
 * Unpacks the released sources beside the packages of this tree. @returns its folder; undefined where Git or that commit is
 * missing, as in a shallow clone
 */
export async function releasedTree(): Promise<string | undefined> {
  const hasCommit = await run('git', ['-C', root, 'cat-file', '-e', `${RELEASED}^{commit}`]).then(
    () => true,
    () => false,
  );
  if (!hasCommit) return undefined;
  const folder = await temporaryFolder();
  const archive = join(folder, 'released.tar');
  await run('git', ['-C', root, 'archive', `--output=${archive}`, RELEASED, ...PARTS]);
  await run('tar', ['-xf', archive, '-C', folder]);
  await linkPackages(join(root, 'node_modules'), join(folder, 'node_modules'));
  const own = { 'sync-protocol': 'sync-protocol', 'client-sdk': 'client-sdk', server: 'server', web: 'server/web' };
  await mkdir(join(folder, 'node_modules/@tailgate'));
  for (const [name, part] of Object.entries(own))
    await symlink(join(folder, part), join(folder, 'node_modules/@tailgate', name));
  return folder;
}

/** The packages of other authors, as installed here. */
async function linkPackages(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const name of await readdir(from)) if (name !== '@tailgate') await symlink(join(from, name), join(to, name));
}
