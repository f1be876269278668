import type { LineUpdate, StopObject } from '@tailgate/sync-protocol';
import { keyedLines, stopObject, warehouseStop } from '@tailgate/sync-protocol';

/**
 * Merges two updates of one stop into one with exactly the same meaning; undefined where none exists. Only updates to
 * the same status merge. The warehouse stop never merges: arrival and completion in one body differ from one after the
 * other.
 */
export function mergeUpdates(first: StopObject, second: StopObject): StopObject | undefined {
  if (first.id !== second.id || first.id === warehouseStop) return undefined;
  const sent = second.updates?.status;
  if (sent !== undefined && sent !== first.updates?.status) return undefined;
  // Lists have limits: two updates that exceed one together remain separate.
  return stopObject.safeParse(mergeMembers(first, second)).data;
}

/**
 * `merge` combines the values that both updates have, or returns undefined where it cannot. Members without a rule take
 * the later value.
 */
interface Rules {
  [member: string]: { merge(this: void, first: unknown, second: unknown): unknown }['merge'];
}

/** Arrival and evidence remain once given. For photos, only an empty list removes them. */
const rules: Rules = {
  updates: mergeMembers,
  action: mergeMembers,
  products: mergeLines,
  collections: mergeLines,
  arrived: (first) => first,
  // The photo that an entry retains depends on the list in between.
  osd_data: () => undefined,
  overage_items: () => undefined,
};
/** Members where null means the same as absent. */
const nullMeansAbsent: readonly string[] = ['signature_id', 'image_ids', ...Object.keys(rules)];

type Members = Readonly<Record<string, unknown>>;

/** An absent member means no change. */
function mergeMembers(first: Members, second: Members): Members | undefined {
  const merged: Record<string, unknown> = { ...first };
  for (const [name, value] of Object.entries(second)) {
    if (value === undefined || (value === null && nullMeansAbsent.includes(name))) continue;
    const rule = merged[name] ? rules[name] : undefined;
    merged[name] = rule ? rule(merged[name], value) : value;
    if (merged[name] === undefined) return undefined;
  }
  return merged;
}

/**
 * Lines of the same item and invoice are distinguished by their order. An item under different invoices, or with and
 * without one, does not merge: the server finds the missing invoice among those that the update does not name.
 */
function mergeLines(first: readonly LineUpdate[], second: readonly LineUpdate[]): Members[] | undefined {
  const named = new Map(second.map(({ id, invoice }) => [id, invoice]));
  if ([...first, ...second].some(({ id, invoice }) => (named.get(id) ?? invoice) !== invoice)) return undefined;
  const merged = new Map(keyedLines(first).map(({ key, line }) => [key, line]));
  for (const { key, line } of keyedLines(second)) {
    const existing = merged.get(key);
    const together = existing ? mergeMembers(existing, line) : line;
    if (!together) return undefined;
    merged.set(key, { ...line, ...together });
  }
  return [...merged.values()];
}
