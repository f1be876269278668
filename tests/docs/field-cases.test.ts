import { expect, test } from 'vitest';
import { readText, readTree } from '../house/source-file.ts';

const numbers = Array.from({ length: 30 }, (_, n) => n + 1);

/** The files in which a test's title begins `field case N:`, by number. */
function titled(): Map<number, Set<string>> {
  const files = new Map<number, Set<string>>();
  for (const { path, text } of readTree().values()) {
    if (!/^tests\/(?!docs\/).*\.test\.tsx?$/.test(path)) continue;
    for (const [, n] of text.matchAll(/(?:test|it)(?:\.each\([^)]*\))?\(\s*['"`]field case (\d+): \S/g))
      files.set(Number(n), (files.get(Number(n)) ?? new Set()).add(path));
  }
  return files;
}

/** The files that the page names, by number. */
function written(): Map<number, Set<string>> {
  const rows = readText('docs/field-cases.md').matchAll(/^\| (\d+) +\|.*$/gm);
  return new Map(
    [...rows].map(([row, n]) => [
      Number(n),
      new Set([...row.matchAll(/\]\(\.\.\/(tests\/[^)]+)\)/g)].map(([, path = '']) => path)),
    ]),
  );
}

test('each of the thirty field cases has a test that says its number', () => {
  const found = titled();
  expect(numbers.filter((n) => !found.has(n))).toEqual([]);
  expect([...found.keys()].filter((n) => !numbers.includes(n))).toEqual([]);
});

test('the page names for each of them the files of its tests', () => {
  expect(written()).toEqual(titled());
});
