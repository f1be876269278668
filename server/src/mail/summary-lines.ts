import type { LineResult } from '@tailgate/sync-protocol';
import { keyedLines } from '@tailgate/sync-protocol';

/** A line of the manifest with its record; either side may be missing. */
export interface SummaryLine<Planned> {
  readonly id: string;
  readonly invoice: string;
  readonly planned: Planned | undefined;
  readonly line: LineResult | undefined;
}

/** The manifest in its order with the record of each line, then records beyond it. */
export function linesOf<Planned extends { readonly id: string; readonly invoice: string }>(
  plan: readonly Planned[],
  results: Readonly<Record<string, LineResult>> = {},
): SummaryLine<Planned>[] {
  const left = new Map(Object.entries(results));
  const lines = keyedLines(plan).map(({ line: planned, key }): SummaryLine<Planned> => {
    const { id, invoice } = planned;
    const line = left.get(key);
    left.delete(key);
    return { id, invoice, planned, line };
  });
  return [...lines, ...[...left.values()].map((line) => ({ ...line, planned: undefined, line }))];
}

/** The customers' name of a line; its number where the host has no name. */
export const nameOf = ({ id, planned }: SummaryLine<{ readonly name: string }>): string => planned?.name || id;
