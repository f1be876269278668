import { expect, test } from 'vitest';
import type { SourceFile } from '../house/source-file.ts';
import { importsOf, readText, readTree } from '../house/source-file.ts';

const numbers = Array.from({ length: 30 }, (_, n) => n + 1);

/** The storages on which every field case has to run, in the order of their phones. */
const storages = [...readText('tests/support/field-fixture.ts').matchAll(/\bstorage: '([^']+)'/g)].map(
  ([, storage = '']) => storage,
);

/** The storage of a case that has a file of its own, by the part of the tests' support that only this storage uses. */
const ownStorages: Record<string, string> = {
  'browser.ts': 'IndexedDB in Chromium',
  'sqlite-store.ts': 'SQLite in Node',
};

/** Titles with a number. A file that runs its cases on every storage has them inside that block. */
const title = (indentation: string): RegExp =>
  new RegExp(`^${indentation}(?:test|it)(?:\\.each\\([^)]*\\))?\\(\\s*['"\`]field case (\\d+): \\S`, 'gm');

function playedIn(file: SourceFile): { readonly on: readonly string[]; readonly cases: readonly number[] } {
  const support = importsOf(file)
    .filter(({ typesOnly }) => !typesOnly)
    .map(({ specifier }) => specifier.split('/').at(-1) ?? '');
  const isForAll = support.includes('field-fixture.ts');
  const on = isForAll ? storages : support.flatMap((name) => ownStorages[name] ?? []);
  const cases = [...file.text.matchAll(title(isForAll ? '  ' : ' *'))].map(([, n]) => Number(n));
  return { on, cases };
}

type Played = Map<string, Set<string>>;
const cell = (n: number, storage: string): string => `${n} on ${storage}`;

/** The files with a test title `field case N:`, by number and storage. */
function titled(): Played {
  const found: Played = new Map();
  for (const file of readTree().values()) {
    if (!/^tests\/(?!docs\/).*\.(test|check)\.tsx?$/.test(file.path)) continue;
    const { on, cases } = playedIn(file);
    for (const n of cases)
      for (const storage of on) found.set(cell(n, storage), (found.get(cell(n, storage)) ?? new Set()).add(file.path));
  }
  return found;
}

/** The files that the page names, by number and the storage at the head of their column. */
function written(): Played {
  const [head = [], , ...rows] = readText('docs/field-cases.md')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|').map((text) => text.trim()));
  const found: Played = new Map();
  for (const row of rows)
    for (const storage of storages) {
      const links = row[head.indexOf(storage)]?.matchAll(/\]\(\.\.\/(tests\/[^)]+)\)/g) ?? [];
      const paths = [...links].map(([, path = '']) => path);
      if (paths.length > 0) found.set(cell(Number(row[1]), storage), new Set(paths));
    }
  return found;
}

test('each of the thirty field cases runs on every storage', () => {
  expect(storages).toEqual(expect.arrayContaining(Object.values(ownStorages)));
  const wanted = numbers.flatMap((n) => storages.map((storage) => cell(n, storage)));
  expect([...titled().keys()].sort()).toEqual(wanted.sort());
});

test('the page names the test files of each case, by storage', () => {
  expect(written()).toEqual(titled());
});
