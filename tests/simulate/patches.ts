import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inTreeCopy, root, simulateCopy } from './tree-copy.ts';

/** Worlds within which a mistake must show. */
const SEEDS = 100;

const here = import.meta.dirname;

/**
 * `found by world N`, `not found`, or the reason why the run proves neither: the patch does not apply, or the tree does not run.
 */
export function detect(patch: string): Promise<string> {
  return inTreeCopy(async (copy) => {
    const trouble = apply(patch, copy);
    return trouble ? `does not fit: ${trouble}` : simulateCopy(copy, SEEDS);
  });
}

/** The reason why a patch does not apply to this tree, or an empty text. The tree stays unchanged. */
export const applyError = (patch: string): string => apply(patch, root, '--check');

/** The paths are the patch's own: the copy is not a git repository and not in one. */
function apply(patch: string, tree: string, ...options: string[]): string {
  const args = ['apply', ...options, join(here, 'patches', patch)];
  return spawnSync('git', args, { cwd: tree, encoding: 'utf8' }).stderr.trim();
}

export const patches = readdirSync(join(here, 'patches')).filter((name) => name.endsWith('.patch'));
