import { expect, test } from 'vitest';
import { drawMutants, mutantsIn } from './mutants.ts';

const mutantsOf = (line: string): string[] => mutantsIn('a.ts', line).map(({ after }) => after);

test('each operator of a line gives a mutant', () => {
  expect(mutantsOf('  return a < b && c !== d;')).toEqual([
    '  return a < b && c === d;',
    '  return a <= b && c !== d;',
    '  return a < b || c !== d;',
  ]);
});

test('a condition is negated as a whole', () => {
  expect(mutantsOf('  if (isDone(a) || b) return;')).toEqual([
    '  if (isDone(a) && b) return;',
    '  if (!(isDone(a) || b)) return;',
  ]);
  expect(mutantsOf('  if (')).toEqual([]);
});

test('a call whose result is not used goes', () => {
  expect(mutantsOf('    await this.#lease.release(key);')).toEqual(['']);
  expect(mutantsOf('    return release(key);')).toEqual([]);
});

test('texts, comments, types and imports stay', () => {
  const lines = [
    "const text = 'a < b';",
    '// a < b',
    ' * a && b',
    "import { a } from 'b';",
    'export type A = B;',
    '`a < b`',
  ];
  for (const line of lines) expect(mutantsOf(line)).toEqual([]);
});

test('a seed draws the same mutants, each of another file', () => {
  const drawn = drawMutants(1, 15);
  expect(drawMutants(1, 15)).toEqual(drawn);
  expect(new Set(drawn.map(({ file }) => file)).size).toBe(15);
  expect(drawMutants(2, 15)).not.toEqual(drawn);
});
