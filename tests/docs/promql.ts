import { parser } from '@prometheus-io/lezer-promql';
import { exposedFigures } from './exposed-figures.ts';

/** The parts of a PromQL expression, by kind; `⚠` marks an invalid part. */
export function wordsOf(expr: string): Map<string, string[]> {
  const words = new Map<string, string[]>();
  parser.parse(expr).iterate({
    enter: ({ name, from, to }) => {
      words.set(name, [...(words.get(name) ?? []), expr.slice(from, to)]);
    },
  });
  return words;
}

export const exposed = await exposedFigures();

/** Labels of each series that an expression may use: those of the product, and those that Prometheus adds. */
const labelsOf = new Map<string, readonly string[]>([
  ...exposed.map(({ name, type, labels }): [string, readonly string[]] =>
    type === 'histogram' ? [`${name}_bucket`, [...labels, 'le']] : [name, labels],
  ),
  ['ALERTS', ['alertname', 'alertstate', 'severity']],
]);
const ofScrape = ['instance', 'job'];

/** Faults of an expression: what the grammar refuses, and names that no process reports. */
export function faultsOf(expr: string): string[] {
  const words = wordsOf(expr);
  const figures = words.get('Identifier') ?? [];
  const labels = [...figures.flatMap((name) => labelsOf.get(name) ?? []), ...ofScrape];
  return [
    ...(words.get('⚠') ?? []).map((part) => `invalid: ${part || 'the end is missing'}`),
    ...(figures.length === 0 ? ['no figure'] : []),
    ...figures.filter((name) => !labelsOf.has(name)).map((name) => `no figure ${name}`),
    ...(words.get('LabelName') ?? []).filter((label) => !labels.includes(label)).map((label) => `no label ${label}`),
  ];
}
