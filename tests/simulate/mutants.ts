import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Chance } from './chance.ts';
import { inTreeCopy, LONGEST_RUN_MS, root, simulateCopy } from './tree-copy.ts';

// Small mistakes at random places of the code that must never be wrong. Each is found by the simulator, by a test of its
// folder, or it changes nothing.

/** A line of a file, and the line that takes its place. */
export interface Mutant {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

/** Folders below server/src, and the tests that run where the simulator finds nothing. */
const testsOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['mutations', ['tests/server/mutations', 'tests/server/http/stop-sync.test.ts', 'tests/server/http/closing.test.ts']],
  ['replication', ['tests/server/replication', 'tests/host']],
  ['sync', ['tests/server/sync', 'tests/docs/asyncapi.test.ts', 'tests/sdk']],
  ['stops', ['tests/server/stops', 'tests/host', 'tests/server/http/stop-sync.test.ts']],
]);

/** Each operator is surrounded by blanks in code (Prettier), and by none in types. */
const operators: readonly (readonly [from: string, to: string])[] = [
  [' === ', ' !== '],
  [' !== ', ' === '],
  [' < ', ' <= '],
  [' <= ', ' < '],
  [' > ', ' >= '],
  [' >= ', ' > '],
  [' && ', ' || '],
  [' || ', ' && '],
  [' + ', ' - '],
  [' - ', ' + '],
  ['return true;', 'return false;'],
  ['return false;', 'return true;'],
  ['if (', 'if (!'],
];

/** Worlds within which the simulator may find a mutant. */
const SEEDS = 60;

/** All mutants of a file, in its order. Texts and comments stay as they are. */
export function mutantsIn(file: string, text: string): Mutant[] {
  return text.split('\n').flatMap((before, i) => {
    if (/^\s*(\/\/|\/?\*|import |export (type|interface) )/.test(before) || before.includes('`')) return [];
    const code = before.replaceAll(/'[^']*'|\/\/.*$/g, (each) => '\u0000'.repeat(each.length));
    const changed = operators.flatMap(([from, to]) => placesOf(code, from).map((at) => mutated(before, at, from, to)));
    if (/^\s+(await |void )?[\w.#]+\([^{]*\);$/.test(before)) changed.push('');
    return changed.flatMap((after) => (after === undefined ? [] : [{ file, line: i + 1, before, after }]));
  });
}

function placesOf(code: string, part: string): number[] {
  const places: number[] = [];
  for (let at = code.indexOf(part); at >= 0; at = code.indexOf(part, at + 1)) places.push(at);
  return places;
}

/** @returns undefined where the whole condition is not on this line */
function mutated(line: string, at: number, from: string, to: string): string | undefined {
  const [head, tail] = [line.slice(0, at), line.slice(at + from.length)];
  if (from !== 'if (') return head + to + tail;
  let open = 1;
  const end = tail.split('').findIndex((character) => {
    open += character === '(' ? 1 : character === ')' ? -1 : 0;
    return open === 0;
  });
  return end < 0 ? undefined : `${head}if (!(${tail.slice(0, end)})${tail.slice(end)}`;
}

/** Draws mutants, at most one of a file. The same seed and the same code give the same mutants. */
export function drawMutants(seed: number, count: number): Mutant[] {
  const chance = new Chance(seed);
  const files = [...testsOf.keys()]
    .flatMap((folder) => globSync(`server/src/${folder}/**/*.ts`, { cwd: root }))
    .toSorted();
  const all = files.flatMap((file) => mutantsIn(file, readFileSync(join(root, file), 'utf8')));
  const drawn: Mutant[] = [];
  while (drawn.length < count) {
    const rest = all.filter(({ file }) => drawn.every((other) => other.file !== file));
    drawn.push(chance.one(rest));
  }
  return drawn;
}

/** The finder of a mutant: a world of the simulator, a test by its name, or nothing. */
export function finderOf({ file, line, after }: Mutant): Promise<string> {
  return inTreeCopy(async (copy) => {
    const path = join(copy, file);
    writeFileSync(
      path,
      readFileSync(path, 'utf8')
        .split('\n')
        .with(line - 1, after)
        .join('\n'),
    );
    const answer = await simulateCopy(copy, SEEDS);
    if (answer !== 'not found') return `the simulator: ${answer.slice(0, 300)}`;
    const [, , folder = ''] = file.split('/');
    return failingTest(copy, testsOf.get(folder) ?? []) ?? 'nothing';
  });
}

function failingTest(copy: string, tests: readonly string[]): string | undefined {
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--bail', '1', '--reporter', 'json', ...tests];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    timeout: LONGEST_RUN_MS,
  });
  if (status === 0) return undefined;
  if (status === null) return 'the tests do not end';
  const failed = /"fullName":"((?:[^"\\]|\\.)*)","status":"failed"/.exec(stdout)?.[1];
  return failed === undefined ? `the tests do not run: ${stderr.slice(0, 300)}` : `the test "${failed}"`;
}
