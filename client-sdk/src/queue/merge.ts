import type { LineUpdate, StopObject } from '@tailgate/sync-protocol';
import { stopObject, warehouseStop } from '@tailgate/sync-protocol';

/**
 * Two updates of one stop as one that means exactly the same, or undefined where there is none. Only updates that move
 * the stop to the same status merge. The warehouse stop never merges: arriving and completing in one body is another
 * event than one after the other. Nor do two edits of one list of exceptions: which photo an entry keeps depends on the
 * list in between.
 */
export function mergeUpdates(first: StopObject, second: StopObject): StopObject | undefined {
  if (first.id !== second.id || first.id === warehouseStop) return undefined;
  const sent = second.updates?.status;
  if (sent !== undefined && sent !== first.updates?.status) return undefined;
  const updates = mergeStopFields(first.updates, second.updates);
  const products = mergeLines(first.products, second.products);
  const collections = mergeLines(first.collections, second.collections);
  if (!updates || !products || !collections) return undefined;
  const arrived = first.arrived === true || second.arrived === true;
  const merged = { id: first.id, ...(arrived && { arrived }), updates, products, collections };
  // Lists have limits; where both together exceed one, they stay two.
  const parsed = stopObject.safeParse(merged);
  return parsed.success ? parsed.data : undefined;
}

type StopFields = NonNullable<StopObject['updates']>;
type Lines = NonNullable<StopObject['products']>;

function mergeStopFields(first: StopObject['updates'], second: StopObject['updates']): StopFields | undefined {
  if (first?.overage_items && second?.overage_items) return undefined;
  const merged: StopFields = { ...first, ...defined(second) };
  // A signature is evidence: null does not clear it.
  if (second?.signature_id === null && first?.signature_id) merged.signature_id = first.signature_id;
  return merged;
}

/** Lines of one item and invoice are told apart by their order. */
function mergeLines(first: StopObject['products'], second: StopObject['products']): Lines | undefined {
  const merged: Lines = [...(first ?? [])];
  const seen = new Map<string, number>();
  for (const line of second ?? []) {
    const pair = `${line.id}\t${line.invoice}`;
    const n = seen.get(pair) ?? 0;
    seen.set(pair, n + 1);
    const place = nthIndex(merged, line, n);
    const held = merged[place];
    const together = held ? mergeLine(held, line) : line;
    if (!together) return undefined;
    merged[held ? place : merged.length] = together;
  }
  return merged;
}

function nthIndex(lines: Lines, { id, invoice }: LineUpdate, n: number): number {
  let left = n;
  return lines.findIndex((line) => line.id === id && line.invoice === invoice && left-- === 0);
}

function mergeLine(first: LineUpdate, second: LineUpdate): LineUpdate | undefined {
  if (first.updates?.osd_data && second.updates?.osd_data) return undefined;
  if (first.action?.updates?.osd_data && second.action?.updates?.osd_data) return undefined;
  const updates = { ...first.updates, ...defined(second.updates) };
  // Photos are evidence: only an empty list clears them.
  if (second.updates?.image_ids === null && first.updates?.image_ids) updates.image_ids = first.updates.image_ids;
  const action = {
    ...first.action,
    ...defined(second.action),
    updates: { ...first.action?.updates, ...defined(second.action?.updates) },
  };
  return {
    ...first,
    ...defined(second),
    ...((first.updates || second.updates) && { updates }),
    ...((first.action || second.action) && { action }),
  };
}

/** The members that say something: absent means no change. */
function defined<Fields extends object>(fields: Fields | null | undefined): Partial<Fields> {
  const said: Partial<Fields> = {};
  for (const key in fields) if (fields[key] !== undefined) said[key] = fields[key];
  return said;
}
