import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const rows = read('docs/host-faults.md')
  .split('\n')
  .filter((line) => /^\|.*\| (?:`[^`]+`,? *)+\|$/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, fault = '', , proofs = '']) => ({ fault, proofs: proofs.replaceAll('`', '').split(', ') }));
const titles = (path: string) =>
  Array.from(read(path).matchAll(/\btest\(\s*'((?:[^'\\]|\\.)*)'/g), ([, title = '']) => title);

test('each fault has tests of its name, or entries of npm run soak', () => {
  expect(rows.length).toBeGreaterThan(15);
  const soak = Array.from(read('tests/soak/main.ts').matchAll(/^ {2}'?([a-z-]+)'?: \w+,$/gm), ([, name]) => name);
  const isProof = (fault: string, proof: string) =>
    proof.startsWith('npm run soak')
      ? soak.includes(proof.split(' -- ')[1])
      : titles(proof).some((title) => title.startsWith(fault));
  const missing = rows.filter(({ fault, proofs }) => !proofs.every((proof) => isProof(fault, proof)));
  expect(missing).toEqual([]);
});

test.each(['tests/host/named-faults.test.ts', 'tests/host/killed.test.ts'])(
  'every fault of %s is in the table',
  (path) => {
    const known = rows.filter(({ proofs }) => proofs.includes(path)).map(({ fault }) => fault);
    expect(new Set(titles(path).map((title) => title.split(':')[0]))).toEqual(new Set(known));
  },
);
