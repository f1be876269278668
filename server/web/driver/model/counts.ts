import type { LocalStop, StopInput } from '@tailgate/client-sdk';
import type { StopDraft } from './draft.ts';
import type { Collection, Product } from './lines.ts';
import { isCounted, returnedNow, sum } from './lines.ts';

/** Something to take back, with the count that a sheet shows. */
export interface CountNow {
  readonly line: Collection;
  /** The driver's count, or the recorded one; before either the planned one, which is the likely one. */
  readonly shown: number;
  readonly hasCount: boolean;
}

export const countsOf = (stop: LocalStop, draft: StopDraft): CountNow[] =>
  stop.collections.map((line) => {
    const hasCount = hasReturnCount(stop, line, draft);
    return { line, hasCount, shown: hasCount ? returnedNow(line, draft) : line.quantity };
  });

export const hasReturnCount = (stop: LocalStop, line: Collection, draft: StopDraft): boolean =>
  draft.returns[line.key] !== undefined || line.updates.returned > 0 || isCounted(stop);

/** Returns of a stop, in numbers. */
export interface ReturnTally {
  readonly planned: number;
  readonly back: number;
  /** Planned pieces of the lines without a count. */
  readonly uncounted: number;
  /** The part of `back` that counts as totes, and the same of the plan. */
  readonly totes: number;
  readonly plannedTotes: number;
}

export function returnTally(stop: LocalStop, draft: StopDraft): ReturnTally {
  const lines = stop.collections;
  const inTotes = lines.filter((line) => line.count_in_totes);
  return {
    planned: sum(lines, ({ quantity }) => quantity),
    back: sum(lines, (line) => returnedNow(line, draft)),
    uncounted: sum(
      lines.filter((line) => !hasReturnCount(stop, line, draft)),
      ({ quantity }) => quantity,
    ),
    totes: sum(inTotes, (line) => returnedNow(line, draft)),
    plannedTotes: sum(inTotes, ({ quantity }) => quantity),
  };
}

/** Counts by the key of their line. */
export type Counts = Readonly<Record<string, number>>;

export const withCounts = (draft: StopDraft, counts: Counts): StopDraft => ({
  ...draft,
  returns: {
    ...draft.returns,
    ...Object.fromEntries(
      Object.entries(counts).map(([key, returned]) => [key, { ...draft.returns[key], returned }] as const),
    ),
  },
});

/** Returns of a delivered stop, counted again. All lines are named: their order identifies equal ones. */
export const countsCorrectionOf = (stop: LocalStop, counts: Counts): Omit<StopInput, 'id'> => ({
  collections: stop.collections.map(({ id, invoice, key, updates }) => {
    const returned = counts[key];
    return returned === undefined || returned === updates.returned
      ? { id, invoice }
      : { id, invoice, updates: { returned } };
  }),
});

/** Whether pallets of this line are counted beside its pieces. */
export const isOnPallets = (line: Product): boolean =>
  line.section === 'PALLETS' || line.container_type.includes('PALLET');
