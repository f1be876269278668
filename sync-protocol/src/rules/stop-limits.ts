import type { LineKind, LineResult, StopResult } from '../schema/stops.ts';
import { lineKinds } from '../schema/stops.ts';

// Limits of a driver's additions to a stop (decision 75). Values above a limit are in the ledger, but not in the result.

/** Maximum lines of a stop outside its plan, for products and for collections. */
export const maxUnknownLines = 500;

/** The same for a route. All lines of a large route fit, even if the host loses their plan: 150 stops of 20 lines. */
export const maxUnknownLinesOfRoute = 5_000;

/** Maximum JSON characters of all exceptions, photos and `open_action`s of the lines of a stop together. */
export const maxLineDetail = 250_000;

/** Whether the plan has the `n`-th line of this item and invoice. */
export type IsPlanned = (kind: LineKind, id: string, invoice: string, n: number) => boolean;

export interface StopLimits {
  readonly isPlanned: IsPlanned;
  /** Unplanned lines that the route still accepts; absent on a phone. */
  readonly room?: number;
}

/** The fields of a line other than its counts. */
type LineDetail = Partial<Pick<LineResult, 'osd_data' | 'action_osd_data' | 'image_ids' | 'open_action'>>;

/** The additions that a stop still accepts. Existing lines and planned lines always fit. */
export interface StopRoom {
  /** Whether a new line fits. */
  readonly hasRoomForLine: (kind: LineKind, id: string, invoice: string, n: number) => boolean;
  /** Whether the fields of a line other than its counts fit. */
  readonly hasRoomForDetail: (sent: LineDetail, current: LineDetail) => boolean;
}

export function remainingRoom(before: StopResult, { isPlanned, room = Infinity }: StopLimits): StopRoom {
  const remainingByKind: Partial<Record<LineKind, number>> = {};
  let detail: number | undefined;
  const linesOf = (kind: LineKind): LineResult[] => Object.values(before[kind] ?? {});

  return {
    hasRoomForLine: (kind, id, invoice, n) => {
      if (isPlanned(kind, id, invoice, n)) return true;
      const remaining = (remainingByKind[kind] ??=
        maxUnknownLines - linesOf(kind).filter((line) => !isPlanned(kind, line.id, line.invoice, line.n)).length);
      if (remaining <= 0 || room <= 0) return false;
      remainingByKind[kind] = remaining - 1;
      room--;
      return true;
    },
    hasRoomForDetail: (sent, current) => {
      const { osd_data, action_osd_data, image_ids, open_action } = sent;
      if ((osd_data ?? action_osd_data ?? image_ids ?? open_action) == null) return true;
      const former = detailOf(current);
      const more = detailOf(sent).reduce((sum, size, i) => sum + (size && size - (former[i] ?? 0)), 0);
      if (more <= 0) return true;
      detail ??= lineKinds.flatMap(linesOf).flatMap(detailOf).reduce(add, 0);
      if (detail + more > maxLineDetail) return false;
      detail += more;
      return true;
    },
  };
}

/** The size of each field; 0 where it is absent. */
const detailOf = ({ osd_data, action_osd_data, image_ids, open_action }: LineDetail): number[] =>
  [osd_data, action_osd_data, image_ids, open_action].map((value) =>
    value == null ? 0 : JSON.stringify(value).length,
  );

const add = (a: number, b: number): number => a + b;
