import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { settings } from '../../server/src/config.ts';
import { opsManual } from '../../server/src/ops/commands/cli.ts';
import { readText, root } from '../house/source-file.ts';
import { exposed, faultsOf } from './promql.ts';

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

test('the operator’s page has every setting of config.ts', () => {
  const written = tableUnder('Settings', readText('docs/operations.md'));
  const meant = settings.map(({ name, default: value, description }) => [
    `\`${name}\``,
    value === null ? 'unset' : `\`${value}\``,
    description,
  ]);
  expect(written).toEqual(meant);
});

test('every command of `npm run ops` is on a page', () => {
  const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && name !== 'CHANGELOG.md')
    .map((name) => readText(`docs/${name}`))
    .join('\n');
  const commands = Object.entries(opsManual.commands).flatMap(([verb, { takes }]) => {
    const acts = [...takes.matchAll(/^[a-z|]+(?=$| )|(?<=, )[a-z]+/g)].flatMap(([words]) => words.split('|'));
    return acts.length === 0 ? [verb] : acts.map((act) => `${verb} ${act}`);
  });
  expect(commands).toEqual(
    expect.arrayContaining(['restored', 'cells make', 'cells distribute', 'cells move', 'log keys']),
  );
  expect(commands.filter((command) => !pages.includes(`ops -- ${command}`))).toEqual([]);
});

test('the operator’s page has every figure of /metrics', () => {
  const meant = exposed.map(({ name, type, labels, help }) => [
    labels.length === 0 ? `\`${name}\`` : `\`${name}{${labels.join(',')}}\``,
    type,
    help,
  ]);
  expect(tableUnder('Figures', readText('docs/operations.md'))).toEqual(meant);
});

const rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.strictObject({
          alert: z.string(),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[mh]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string() }),
        }),
      ),
    }),
  ),
});
const alerts = rules.parse(parse(readText('server/deploy/alerts.yml'))).groups.flatMap((group) => group.rules);

test('the operator’s page has meaning and action of every alert', () => {
  const rows = tableUnder('Alerts', readText('docs/operations.md'));
  expect(rows.map(([alert]) => alert)).toEqual(alerts.map(({ alert }) => `\`${alert}\``));
  expect(rows.filter((cells) => cells.some((cell) => cell === ''))).toEqual([]);
});

test.each(alerts)('$alert uses existing figures and labels', ({ expr }) => {
  expect(faultsOf(expr)).toEqual([]);
});
