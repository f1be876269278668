import { parser } from '@prometheus-io/lezer-promql';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { settings } from '../../server/src/config.ts';
import { readText } from '../house/source-file.ts';
import { exposedFigures } from './exposed-figures.ts';

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

const exposed = await exposedFigures();

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

/** The parts of a PromQL expression, by kind; `⚠` marks an invalid part. */
function wordsOf(expr: string): Map<string, string[]> {
  const words = new Map<string, string[]>();
  parser.parse(expr).iterate({
    enter: ({ name, from, to }) => {
      words.set(name, [...(words.get(name) ?? []), expr.slice(from, to)]);
    },
  });
  return words;
}

test('the operator’s page has meaning and action of every alert', () => {
  const rows = tableUnder('Alerts', readText('docs/operations.md'));
  expect(rows.map(([alert]) => alert)).toEqual(alerts.map(({ alert }) => `\`${alert}\``));
  expect(rows.filter((cells) => cells.some((cell) => cell === ''))).toEqual([]);
});

/** Labels of each name that an expression may use. */
const labelsOf = new Map<string, readonly string[]>(
  exposed.map(({ name, type, labels }) => (type === 'histogram' ? [`${name}_bucket`, ['le']] : [name, labels])),
);

test.each(alerts)('$alert uses existing figures and labels', ({ expr }) => {
  const words = wordsOf(expr);
  const figures = words.get('Identifier') ?? [];
  const labels = figures.flatMap((name) => labelsOf.get(name) ?? []);
  expect(words.get('⚠')).toBeUndefined();
  expect(figures).not.toEqual([]);
  expect(figures.filter((name) => !labelsOf.has(name))).toEqual([]);
  expect((words.get('LabelName') ?? []).filter((label) => !labels.includes(label))).toEqual([]);
});
