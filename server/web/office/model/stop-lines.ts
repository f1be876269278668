import type { StopView } from './stop-ticks.ts';

export type StopLine = StopView['lines'][number];

/** The lines as the stop stands. In a delivered stop a product without a count has 0, as in the driver app and on the host. */
export const standingLines = (lines: readonly StopLine[], status: StopView['summary']['status']): StopLine[] =>
  lines.map((line) => (status === 'D' && line.kind === 'product' ? { ...line, delivered: line.delivered ?? 0 } : line));

/** Pieces too few (negative) or too many; null where one of both counts is missing. */
export const differenceOf = ({ planned, delivered }: Pick<StopLine, 'planned' | 'delivered'>): number | null =>
  planned === null || delivered === null ? null : delivered - planned;

/** Whether a line is other than planned. */
export const isOff = (line: StopLine): boolean =>
  line.planned === null || (differenceOf(line) ?? 0) !== 0 || line.exceptions.length > 0;

/** Lines that differ first; within both the order of the manifest. */
export const differentFirst = (lines: readonly StopLine[]): StopLine[] => [
  ...lines.filter(isOff),
  ...lines.filter((line) => !isOff(line)),
];

export const lineKey = ({ kind, id, invoice, n }: StopLine): string => `${kind} ${id} ${invoice} ${n}`;

const sum = (values: readonly (number | null)[]): number => values.reduce<number>((all, each) => all + (each ?? 0), 0);

export function totalsOf(lines: readonly StopLine[]) {
  const products = lines.filter(({ kind }) => kind === 'product');
  return {
    planned: sum(products.map(({ planned }) => planned)),
    delivered: sum(products.map(({ delivered }) => delivered)),
    difference: sum(products.map(differenceOf)),
    exceptions: sum(lines.map(({ exceptions }) => exceptions.length)),
    returned: sum(lines.map(({ returned }) => returned)),
  };
}

/** Types that a browser draws as a picture, without running anything in them. */
const pictures = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif', 'image/bmp', 'image/svg+xml'];

export const isPicture = (mime: string): boolean => pictures.includes(mime);
