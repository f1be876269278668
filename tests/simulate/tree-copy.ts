import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { runNode } from '../support/node-program.ts';
import { atProcessExit } from '../support/process-exit.ts';

export const root = join(import.meta.dirname, '../..');

/** Works in a copy of this tree, which may get mistakes, and deletes it. */
export async function inTreeCopy<Result>(work: (copy: string) => Promise<Result>): Promise<Result> {
  const copy = mkdtempSync(join(tmpdir(), 'tailgate-patched-'));
  const drop = (): void => rmSync(copy, { recursive: true, force: true });
  const dropped = atProcessExit(drop);
  try {
    copyTree(copy);
    return await work(copy);
  } finally {
    drop();
    dropped();
  }
}

/** A mistake may cause an endless loop. */
export const LONGEST_RUN_MS = 30 * 60_000;

/**
 * `found by world N`: the first world of the copy that violates an invariant. Else `not found`, or the reason why the
 * copy does not run.
 */
export async function simulateCopy(copy: string, seeds: number): Promise<string> {
  const args = ['--conditions=source', 'tests/simulate/cli.ts', '--seeds', String(seeds), '--until-broken'];
  const { status, stderr } = await runNode(args, {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: LONGEST_RUN_MS,
  });
  if (status === 0) return 'not found';
  const world = /again: npm run simulate -- --seed (\d+)/.exec(stderr)?.[1];
  return world === undefined ? `does not run: ${stderr.trim()}` : `found by world ${world}`;
}

/** Copies the files of the working tree and links the libraries. Links of our own packages point into the copy. */
function copyTree(copy: string): void {
  const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '--deduplicate'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  }).stdout.trim();
  for (const path of listed.split('\n')) {
    mkdirSync(join(copy, dirname(path)), { recursive: true });
    cpSync(join(root, path), join(copy, path));
  }
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
