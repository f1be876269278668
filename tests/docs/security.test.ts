import { operations } from '../../server/src/http/operations.ts';
import { expect, test } from 'vitest';
import { readText } from '../house/source-file.ts';

const page = readText('docs/security.md');
const [, section = ''] = page.split('\n## Open endpoints\n');
const rows = (/(?:^\|.*\n)+/m.exec(section)?.[0].trim().split('\n') ?? [])
  .slice(2)
  .map((row) => row.split('|').slice(1, -1));

/** Every endpoint of the table, with the text of its last column. */
const written = rows.flatMap((cells) =>
  [...(cells[0] ?? '').matchAll(/`([A-Z]+ \/[\w/:-]+)`/g)].map(
    ([, endpoint = '']) => `${endpoint} ${cells.at(-1)?.trim()}`,
  ),
);

test('docs/security.md names each open endpoint once, and whether strict closes it', () => {
  const open = Object.values(operations).flatMap(({ method, path, access }) =>
    access === 'public' || access === 'open' ? [`${method} ${path} ${access === 'open' ? 'driver' : 'open'}`] : [],
  );
  expect(written.toSorted()).toEqual(open.toSorted());
});

test('each row contains the risk and its mitigation', () => {
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((cells) => cells.length !== 4 || cells.some((cell) => cell.trim() === ''))).toEqual([]);
});
