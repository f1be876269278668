import { expect, test } from 'vitest';
import { settings } from '../../server/src/config.ts';
import { readText } from '../house/source-file.ts';

/** The cells of the first table below a heading, without the table's own head. */
function tableUnder(heading: string, page: string): string[][] {
  const [, below = ''] = page.split(`\n## ${heading}\n`);
  const rows = /(?:^\|.*\n)+/m.exec(below)?.[0].trim().split('\n') ?? [];
  return rows.slice(2).map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('\\|', '|')),
  );
}

test('the operator’s page has every setting as config.ts has it', () => {
  const written = tableUnder('Settings', readText('docs/operations.md'));
  const meant = settings.map(({ name, default: value, description }) => [
    `\`${name}\``,
    value === null ? 'unset' : `\`${value}\``,
    description,
  ]);
  expect(written).toEqual(meant);
});
