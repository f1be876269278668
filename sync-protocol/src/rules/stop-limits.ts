import type { LineKind, LineResult, StopResult } from '../schema/stops.ts';
import { lineKinds } from '../schema/stops.ts';

// How much a stop takes in (decision 75). What is above a limit is in the ledger, and not in the result.

/** Lines of a stop that its plan does not have, of products and of collections. */
export const mostUnknownLines = 500;

/** The same of a route. All lines of a large route fit: 150 stops of 20 lines, should the host lose their plan. */
export const mostUnknownLinesOfRoute = 5_000;

/** Characters of JSON of all exceptions, photos and `open_action`s that the lines of a stop hold together. */
export const mostLineDetail = 250_000;

/** Whether the plan has the `n`-th line of this item and invoice. */
export type IsPlanned = (kind: LineKind, id: string, invoice: string, n: number) => boolean;

export interface StopLimits {
  readonly isPlanned: IsPlanned;
  /** Unknown lines that the route still takes; a phone does not know it. */
  readonly room?: number;
}

/** What a line holds beside its counts. */
type LineDetail = Partial<Pick<LineResult, 'osd_data' | 'action_osd_data' | 'image_ids' | 'open_action'>>;

/** What an update may add to its stop. Lines that the stop has already, and those of its plan, always fit. */
export interface StopRoom {
  /** Whether a line fits that the stop does not have yet. */
  readonly takesLine: (kind: LineKind, id: string, invoice: string, n: number) => boolean;
  /** Whether what a line says beside its counts fits. */
  readonly takesDetail: (said: LineDetail, held: LineDetail) => boolean;
}

export function roomOf(before: StopResult, { isPlanned, room = Infinity }: StopLimits): StopRoom {
  const free: Partial<Record<LineKind, number>> = {};
  let detail: number | undefined;
  const linesOf = (kind: LineKind): LineResult[] => Object.values(before[kind] ?? {});

  return {
    takesLine: (kind, id, invoice, n) => {
      if (isPlanned(kind, id, invoice, n)) return true;
      const left = (free[kind] ??=
        mostUnknownLines - linesOf(kind).filter((line) => !isPlanned(kind, line.id, line.invoice, line.n)).length);
      if (left <= 0 || room <= 0) return false;
      free[kind] = left - 1;
      room--;
      return true;
    },
    takesDetail: (said, held) => {
      const { osd_data, action_osd_data, image_ids, open_action } = said;
      if ((osd_data ?? action_osd_data ?? image_ids ?? open_action) == null) return true;
      const had = detailOf(held);
      const more = detailOf(said).reduce((sum, size, i) => sum + (size && size - (had[i] ?? 0)), 0);
      if (more <= 0) return true;
      detail ??= lineKinds.flatMap(linesOf).flatMap(detailOf).reduce(add, 0);
      if (detail + more > mostLineDetail) return false;
      detail += more;
      return true;
    },
  };
}

/** The size of each; 0 where the line does not say it. */
const detailOf = ({ osd_data, action_osd_data, image_ids, open_action }: LineDetail): number[] =>
  [osd_data, action_osd_data, image_ids, open_action].map((value) =>
    value == null ? 0 : JSON.stringify(value).length,
  );

const add = (a: number, b: number): number => a + b;
