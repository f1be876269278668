import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { atProcessExit } from '../support/process-exit.ts';
import { runNode } from '../support/node-program.ts';

/** Worlds within which a mistake must show. */
const SEEDS = 100;

const here = import.meta.dirname;
const root = join(here, '../..');

/**
 * `found`, `not found`, or the reason why the run proves neither: the patch does not apply, or the tree does not run.
 */
export async function detect(patch: string): Promise<string> {
  const copy = mkdtempSync(join(tmpdir(), 'tailgate-patched-'));
  const drop = (): void => rmSync(copy, { recursive: true, force: true });
  const dropped = atProcessExit(drop);
  try {
    copyTree(copy);
    const trouble = apply(patch, copy);
    if (trouble) return `does not fit: ${trouble}`;
    const args = ['--conditions=source', 'tests/simulate/cli.ts', '--seeds', String(SEEDS), '--until-broken'];
    const { status, stderr } = await runNode(args, { cwd: copy, stdio: ['ignore', 'ignore', 'pipe'] });
    if (status === 0) return 'not found';
    return stderr.includes('again: npm run simulate') ? 'found' : `does not run: ${stderr.trim()}`;
  } finally {
    drop();
    dropped();
  }
}

/** The reason why a patch does not apply to this tree, or an empty text. The tree stays unchanged. */
export const applyError = (patch: string): string => apply(patch, root, '--check');

/** The paths are the patch's own: the copy is not a git repository and not in one. */
function apply(patch: string, tree: string, ...options: string[]): string {
  const args = ['apply', ...options, join(here, 'patches', patch)];
  return spawnSync('git', args, { cwd: tree, encoding: 'utf8' }).stderr.trim();
}

export const patches = readdirSync(join(here, 'patches')).filter((name) => name.endsWith('.patch'));

/** Copies the sources and links the libraries. Links of our own packages point into the copy. */
function copyTree(copy: string): void {
  const parts = ['client-sdk', 'server', 'sync-protocol', 'tests', 'package.json', 'tsconfig.json'];
  const isSource = (path: string): boolean => !['node_modules', '.build'].includes(basename(path));
  for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true, filter: isSource });
  for (const place of ['.', 'client-sdk', 'server', 'sync-protocol'])
    linkLibraries(join(root, place, 'node_modules'), join(copy, place, 'node_modules'), copy);
}

function linkLibraries(from: string, to: string, copy: string): void {
  let names: string[];
  try {
    names = readdirSync(from);
  } catch {
    return; // a workspace whose libraries are all at the root
  }
  mkdirSync(to);
  for (const name of names) {
    if (name !== '@tailgate') {
      symlinkSync(join(from, name), join(to, name));
      continue;
    }
    mkdirSync(join(to, name));
    for (const own of readdirSync(join(from, name))) {
      const folder = basename(realpathSync(join(from, name, own)));
      symlinkSync(join(copy, folder), join(to, name, own));
    }
  }
}
