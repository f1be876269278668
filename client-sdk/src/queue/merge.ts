import type { LineUpdate, StopObject } from '@tailgate/sync-protocol';
import { occurrence, stopObject, warehouseStop } from '@tailgate/sync-protocol';

/**
 * Two updates of one stop as one that means exactly the same, or undefined where there is none. Only updates that move
 * the stop to the same status merge. The warehouse stop never merges: arriving and completing in one body is another
 * event than one after the other.
 */
export function mergeUpdates(first: StopObject, second: StopObject): StopObject | undefined {
  if (first.id !== second.id || first.id === warehouseStop) return undefined;
  const sent = second.updates?.status;
  if (sent !== undefined && sent !== first.updates?.status) return undefined;
  // Lists have limits; where both together exceed one, they stay two.
  return stopObject.safeParse(mergeMembers(first, second)).data;
}

/** How a member that both have becomes one; undefined where it cannot. Any other is what was said last. */
interface Rules {
  [member: string]: { merge(this: void, first: unknown, second: unknown): unknown }['merge'];
}

/** What has arrived, and what is evidence, stays; of photos only an empty list says that there are none. */
const rules: Rules = {
  updates: mergeMembers,
  action: mergeMembers,
  products: mergeLines,
  collections: mergeLines,
  arrived: (first) => first,
  // Which photo an entry keeps depends on the list in between.
  osd_data: () => undefined,
  overage_items: () => undefined,
};
/** Where null is as good as absent. */
const saidByNull: readonly string[] = ['signature_id', 'image_ids', ...Object.keys(rules)];

type Members = Readonly<Record<string, unknown>>;

/** Absent means no change. */
function mergeMembers(first: Members, second: Members): Members | undefined {
  const merged: Record<string, unknown> = { ...first };
  for (const [name, value] of Object.entries(second)) {
    if (value === undefined || (value === null && saidByNull.includes(name))) continue;
    const rule = merged[name] ? rules[name] : undefined;
    merged[name] = rule ? rule(merged[name], value) : value;
    if (merged[name] === undefined) return undefined;
  }
  return merged;
}

/** Lines of one item and invoice are told apart by their order. */
function mergeLines(first: readonly LineUpdate[], second: readonly LineUpdate[]): Members[] | undefined {
  const merged = [...first];
  for (const [i, line] of second.entries()) {
    const place = merged.findIndex(
      ({ id, invoice }, j) =>
        id === line.id && invoice === line.invoice && occurrence(merged, j) === occurrence(second, i),
    );
    const held = merged[place];
    const together = held ? mergeMembers(held, line) : line;
    if (!together) return undefined;
    merged[held ? place : merged.length] = { ...line, ...together };
  }
  return merged;
}
