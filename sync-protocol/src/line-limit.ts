import type { Remark } from './apply-stop-update.ts';
import type { LineKind, LineUpdate, StopObject, StopResult } from './stops.ts';
import { lineKey, lineKinds, occurrence } from './stops.ts';

/** Lines of a stop that its plan does not have, of products and of collections (decision 75). */
export const mostUnknownLines = 500;

/** Whether the plan has the `n`-th line of this item and invoice. */
export type IsPlanned = (kind: LineKind, id: string, invoice: string, n: number) => boolean;

/**
 * The update without what its lines above the limit say. Lines of the plan, and those that the stop has already, are
 * never left out. What is left out keeps its place, so that the lines behind it stay who they are.
 */
export function withinLineLimit(
  before: StopResult,
  stop: StopObject,
  isPlanned: IsPlanned,
): { readonly stop: StopObject; readonly remarks: readonly Remark[] } {
  const remarks: Remark[] = [];
  const lists: { products?: LineUpdate[]; collections?: LineUpdate[] } = {};
  for (const kind of lineKinds) {
    const held = before[kind] ?? {};
    const sent = stop[kind] ?? [];
    // Nearly every stop is far below it: nothing is looked up then.
    if (Object.keys(held).length + sent.length <= mostUnknownLines) continue;
    let room = mostUnknownLines;
    for (const { id, invoice, n } of Object.values(held)) if (!isPlanned(kind, id, invoice, n)) room--;
    lists[kind] = sent.map((line, i): LineUpdate => {
      const { id, invoice } = line;
      const n = occurrence(sent, i);
      if (held[lineKey(id, invoice, n)] || isPlanned(kind, id, invoice, n) || room-- > 0) return line;
      remarks.push({ code: 'too_many_lines', path: `${kind}.${i}` });
      return { id, invoice };
    });
  }
  return { stop: remarks.length > 0 ? { ...stop, ...lists } : stop, remarks };
}
