import type { Json } from '#canonical-json';
import { canonicalJson } from '#canonical-json';
import { eachField, writerOf } from './field-writers.ts';
import type {
  LineKind,
  LineResult,
  LineUpdate,
  OsdEntry,
  OsdGroup,
  OverageItem,
  Stamp,
  StopObject,
  StopResult,
  StopStatus,
} from '../schema/stops.ts';
import type { StopLimits, StopRoom } from './stop-limits.ts';
import { roomOf } from './stop-limits.ts';
import { lineKey, lineKinds, occurrence, warehouseStop } from '../schema/stops.ts';

/** Something a person should know about an update that was taken in all the same (contract §4). */
export interface Remark {
  readonly code: WarningCode;
  readonly path: string;
}
/** The same in words; the server has them, a phone shows its own. */
export interface Warning extends Remark {
  readonly message: string;
}
export type WarningCode =
  | 'superseded'
  | 'status_ignored'
  | 'amended'
  | 'after_close'
  | 'over_delivered'
  | 'unknown_product'
  | 'unknown_code'
  | 'ambiguous_line'
  | 'unreadable_time'
  | 'overage_code'
  | 'invalid_email'
  | 'no_longer_assigned'
  | 'chain_broken'
  | 'after_sign_out'
  | 'plan_changed'
  | 'route_withdrawn'
  | 'stop_removed'
  | 'too_many_lines';

export interface AppliedUpdate {
  readonly result: StopResult;
  /** Whether any value is now another one. */
  readonly changed: boolean;
  /** Whether the document differs from before at all: a value, or who wrote it last. */
  readonly touched: boolean;
  /** `superseded` where the value of a field was dropped, `status_ignored`, `amended`. */
  readonly remarks: readonly Remark[];
}

/**
 * The field rules of a stop, the same on the phone (optimistic view) and on the server: per field the later edit time
 * wins; absent means no change; null clears, but never evidence; leaf arrays replace; lines are keyed by item, invoice
 * and occurrence (contract §1 and §4).
 *
 * @param before the stop's result; it is not changed
 * @param update a parsed stop object
 * @param stamp who wrote it and when; ties in time are broken by client and sequence
 * @param limits of what a driver says; the host holds what the office says already
 */
export function applyStopUpdate(
  before: StopResult,
  update: StopObject,
  stamp: Stamp,
  limits?: StopLimits,
): AppliedUpdate {
  const merge = new FieldMerge(before, stamp);
  const { status, signature_id, ...updates } = update.updates ?? {};

  if (status) mergeStatus(merge, update.id, status);
  if (update.arrived === true) merge.set(merge.result, 'arrived', true);
  if (Object.keys(updates).length > 0 || signature_id) {
    const holder = (merge.result.updates = { ...merge.result.updates });
    const overage = updates.overage_items && keepOveragePhotos(updates.overage_items, holder.overage_items);
    merge.setAll(holder, 'updates.', { ...updates, overage_items: overage, signature_id: signature_id ?? undefined });
  }
  const room = limits && roomOf(before, limits);
  for (const kind of lineKinds) mergeLines(merge, kind, update[kind], room);
  return merge.finish();
}

/**
 * Stop 999 when the autoclose timer has closed its route: complete, whatever its status was (contract §4). No driver
 * can send this.
 */
export function completeStop(before: StopResult, stamp: Stamp): StopResult {
  // A device's clock, or another node's, may run ahead of ours: the timer still has the last word.
  const at = Math.max(stamp.at, ...(before.by ?? []).map((writer) => writer.at));
  const merge = new FieldMerge(before, { ...stamp, at });
  merge.set(merge.result, 'status', 'C');
  return merge.finish().result;
}

/**
 * The same as the office says it: it alone may say that a stop is pending again. Whatever else the stop says stays, and
 * what a driver recorded before it was taken back does not end it. A warehouse stop that is complete stays so: its route
 * is what closes and opens.
 */
export function applyOfficeUpdate(before: StopResult, update: StopObject, stamp: Stamp): AppliedUpdate {
  if (update.updates?.status !== 'P') return applyStopUpdate(before, update, stamp);
  const back = takeBackStop(before, stamp);
  const { status: _, ...updates } = update.updates;
  const rest = applyStopUpdate(back.result, { ...update, updates }, stamp);
  return {
    result: rest.result,
    changed: back.changed || rest.changed,
    touched: back.touched || rest.touched,
    remarks: [...back.remarks, ...rest.remarks],
  };
}

function takeBackStop(before: StopResult, stamp: Stamp): AppliedUpdate {
  const merge = new FieldMerge(before, stamp);
  if (before.status === 'C') merge.remark('status_ignored', 'updates.status');
  else if (before.status !== 'P') merge.set(merge.result, 'status', 'P');
  return merge.finish();
}

function mergeStatus(merge: FieldMerge, stop: number, sent: StopStatus): void {
  const earlier = merge.result.status;
  const status = stop === warehouseStop && sent === 'C' ? 'D' : sent;
  // No stop becomes pending again, and 999 that is complete stays so: to say D again says nothing else.
  if (status === 'P' || earlier === 'C') {
    if (status !== (earlier === 'C' ? 'D' : earlier)) merge.remark('status_ignored', 'updates.status');
    return;
  }
  const won = merge.set(merge.result, 'status', status);
  if (won && earlier === 'D' && status !== 'D') merge.remark('amended', 'updates.status');
}

function mergeLines(
  merge: FieldMerge,
  kind: LineKind,
  lines: readonly LineUpdate[] | null | undefined,
  room: StopRoom | undefined,
): void {
  if (!lines?.length) return;
  const after = (merge.result[kind] = { ...merge.result[kind] });
  for (const [i, line] of lines.entries()) {
    const fields = lineFields(line);
    if (!says(fields)) continue;
    const n = occurrence(lines, i);
    const key = lineKey(line.id, line.invoice, n);
    const held = after[key];
    if (!held && room?.takesLine(kind, line.id, line.invoice, n) === false) {
      merge.remark('too_many_lines', `${kind}.${i}`);
      continue;
    }
    const holder: LineResult = held ? { ...held } : { id: line.id, invoice: line.invoice, n };
    if (room?.takesDetail(fields, holder) === false) {
      merge.remark('too_many_lines', `${kind}.${i}.updates`);
      fields.osd_data = fields.action_osd_data = fields.image_ids = fields.open_action = undefined;
      if (!says(fields)) continue;
    }
    after[key] = holder;
    for (const name of ['osd_data', 'action_osd_data'] as const)
      if (fields[name]) fields[name] = keepOsdPhotos(fields[name], holder[name]);
    merge.setAll(holder, `${kind}.${key}.`, fields);
  }
}

type LineFields = { [Name in keyof Omit<Required<LineResult>, 'id' | 'invoice' | 'n'>]: LineResult[Name] };

/** The flat fields of a sent line, written out: the engine then makes each in one piece. */
function lineFields({ updates, action }: LineUpdate): LineFields {
  return {
    delivered: updates?.delivered,
    returned: updates?.returned,
    delivered_pallets: updates?.delivered_pallets,
    accounting_complete: updates?.accounting_complete,
    // Photos are evidence: only an empty list clears them.
    image_ids: updates?.image_ids ?? undefined,
    osd_data: updates?.osd_data,
    action_type: action?.type,
    action_delivered: action?.updates?.delivered,
    action_osd_data: action?.updates?.osd_data,
    action_quantity: action?.quantity,
    open: action?.open,
    open_action: action?.open_action,
    item_name: action?.item_name,
  };
}

/** `updates: {}` says nothing either: a line that nobody counted must not stand on the host with a count of zero. */
const says = (fields: LineFields): boolean => Object.values(fields).some((value) => value !== undefined);

/**
 * An exception that comes again without its photo keeps the one that it had: the exception that says the same, else the
 * one at the same place. One that was taken out must not leave its photo to the next.
 */
function keepOsdPhotos(sent: OsdGroup[], held: readonly OsdGroup[] | null | undefined): OsdGroup[] {
  if (!held?.length) return sent;
  return sent.map((group) => {
    const twin = held.find((other) => other.osd_code === group.osd_code && other.osd_id === group.osd_id);
    if (!twin) return group;
    return {
      ...group,
      data: group.data.map((entry, i) => ({ ...entry, images_id: entry.images_id ?? photoOf(entry, i, twin.data) })),
    };
  });
}

function photoOf(entry: OsdEntry, place: number, held: readonly OsdEntry[]): string | null {
  const saysSame = (other: OsdEntry | undefined): boolean =>
    other !== undefined && equal({ ...other, images_id: null }, { ...entry, images_id: null });
  const there = held[place];
  return (saysSame(there) ? there : (held.find(saysSame) ?? there))?.images_id ?? null;
}

function keepOveragePhotos(sent: OverageItem[], held: readonly OverageItem[] | undefined): OverageItem[] {
  if (!held?.length) return sent;
  return sent.map((item, i) => {
    const twin = held[i];
    const same = twin?.barcode === item.barcode && twin.osd_code === item.osd_code;
    return same ? { ...item, images_id: item.images_id ?? twin.images_id } : item;
  });
}

/** Whether the edit `a` came after `b`: by time, then by queue, then by sequence; a total order on all replicas. */
export function isLater(a: Stamp, b: Stamp): boolean {
  if (a.at !== b.at) return a.at > b.at;
  if (a.client !== b.client) return a.client > b.client;
  return a.seq > b.seq;
}

type Fields = { readonly [field: string]: Json | undefined };
type Holder = { [field: string]: Json | undefined };

/** One merge in progress: which fields won, who wrote each field afterwards. */
class FieldMerge {
  readonly result: StopResult;
  readonly #before: StopResult;
  /** Before the first touch: there is no later edit to look for, and afterwards every field is ours. */
  readonly #isFirst: boolean;
  readonly #stamp: Stamp;
  readonly #mine = new Set<string>();
  readonly #remarks: Remark[] = [];
  #touched = false;
  #changed = false;

  constructor(before: StopResult, stamp: Stamp) {
    this.#before = before;
    this.#isFirst = !before.by?.length;
    this.#stamp = stamp;
    this.result = { ...before };
  }

  /** @param group what stands before each field's name in its path */
  setAll(holder: Holder, group: string, fields: Fields): void {
    for (const field in fields) {
      const value = fields[field];
      if (value !== undefined) this.set(holder, field, value, group);
    }
  }

  /** Writes a field unless a later edit holds it; true where the value stands afterwards. */
  set(holder: Holder, field: string, value: Json, group = ''): boolean {
    const held = holder[field];
    const same = held !== undefined && equal(held, value);
    if (!this.#isFirst) {
      const path = group + field;
      const writer = held === undefined ? undefined : writerOf(this.#before, path);
      if (writer && !isLater(this.#stamp, writer)) {
        if (!same) this.remark('superseded', path);
        return same;
      }
      this.#mine.add(path);
    }
    this.#touched = true;
    if (!same) {
      holder[field] = value;
      this.#changed = true;
    }
    return true;
  }

  remark(code: WarningCode, path: string): void {
    this.#remarks.push({ code, path });
  }

  finish(): AppliedUpdate {
    if (this.#touched) this.#restamp();
    return {
      result: this.#touched ? this.result : this.#before,
      changed: this.#changed,
      touched: this.#touched,
      remarks: this.#remarks,
    };
  }

  /** Lists the writers that still stand; the first of them is the one that needs no entry in `at`. */
  #restamp(): void {
    if (this.#isFirst) {
      this.result.by = [this.#stamp];
      return;
    }
    const writers: Stamp[] = [];
    const at: Record<string, number> = {};
    const isStatusWritten = this.#mine.has('status') || writerOf(this.#before, 'status') !== undefined;
    eachField(this.result, (path) => {
      if (path === 'status' && !isStatusWritten) return;
      const writer = this.#mine.has(path) ? this.#stamp : (writerOf(this.#before, path) ?? this.#stamp);
      let index = writers.indexOf(writer);
      if (index < 0) index = writers.push(writer) - 1;
      if (index > 0 || (path === 'status' && this.result.status === 'P')) at[path] = index;
    });
    this.result.by = writers;
    this.result.at = Object.keys(at).length > 0 ? at : undefined;
  }
}

function equal(a: Json, b: Json): boolean {
  // Text is made of objects alone: most values are neither, and are told apart as they are.
  return a === b || (typeof a === 'object' && canonicalJson(a) === canonicalJson(b));
}
