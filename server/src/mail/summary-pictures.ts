import type { ExceptionEntry, LineExceptions, PictureReference } from './summary.ts';
import type { SummaryLine } from './summary-lines.ts';
import { nameOf } from './summary-lines.ts';

/** The photos of a stop in the order of its summary; one that several lines name is one photo. */
export function photosOf(
  exceptions: readonly LineExceptions[],
  overage: readonly ExceptionEntry[],
  lines: readonly SummaryLine<{ readonly name: string }>[],
): PictureReference[] {
  const captioned = (name: string) => (entry: ExceptionEntry) =>
    entry.asset === null ? [] : [[entry.asset, `${name}: ${entry.reason}`] as const];
  const named = [
    ...exceptions.flatMap(({ name, entries }) => entries.flatMap(captioned(name))),
    ...overage.flatMap(captioned('Not on the order')),
    ...lines.flatMap((line) => (line.line?.image_ids ?? []).map((asset) => [asset, nameOf(line)] as const)),
  ];
  const once = new Map<string, string>();
  for (const [asset, caption] of named) if (!once.has(asset)) once.set(asset, caption);
  return [...once].map(([asset, caption]) => ({ asset, caption }));
}
