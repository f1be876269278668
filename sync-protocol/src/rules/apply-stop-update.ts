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
import { remainingRoom } from './stop-limits.ts';
import { keyedLines, lineKinds, warehouseStop } from '../schema/stops.ts';

/** A remark for people about an accepted update (contract §4). */
export interface Remark {
  readonly code: WarningCode;
  readonly path: string;
}
/** A remark with the server's text; a phone shows its own text. */
export interface Warning extends Remark {
  readonly message: string;
}
/** The kinds of remarks (contract §4). */
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
  /** Whether any value changed. */
  readonly changed: boolean;
  /** Whether the document changed: a value, or the last writer of a field. */
  readonly touched: boolean;
  /** `superseded` for each dropped value, `status_ignored`, `amended`, `too_many_lines`. */
  readonly remarks: readonly Remark[];
}

/**
 * The field rules of a stop, the same on the phone (optimistic view) and on the server (contract §1 and §4). For each
 * field the later edit time wins. An absent field does not change; null clears a field, but never evidence. Leaf arrays
 * replace. Item, invoice and occurrence identify a line.
 *
 * @param before the stop's result; the function does not modify it
 * @param update a parsed stop object
 * @param stamp author and time of the update; client and sequence break ties in time
 * @param limits for a driver's update; an office update has none, because its values are on the host already
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
  const room = limits && remainingRoom(before, limits);
  for (const kind of lineKinds) mergeLines(merge, kind, update[kind], room);
  return merge.finish();
}

/**
 * Completes stop 999 after the autoclose timer has closed its route, from any status (contract §4). No driver can send
 * this.
 */
export function completeStop(before: StopResult, stamp: Stamp): StopResult {
  // The timer wins even if the clock of a device or of another node runs ahead.
  const at = Math.max(stamp.at, ...(before.by ?? []).map((writer) => writer.at));
  const merge = new FieldMerge(before, { ...stamp, at });
  merge.set(merge.result, 'status', 'C');
  return merge.finish().result;
}

/**
 * Applies an update of the office, which alone may make a stop pending again. All other fields of the result stay. A
 * driver's earlier record does not end the pending state. A complete warehouse stop stays complete, because the route
 * header closes and opens its route.
 */
export function applyOfficeUpdate(before: StopResult, update: StopObject, stamp: Stamp): AppliedUpdate {
  if (update.updates?.status !== 'P') return applyStopUpdate(before, update, stamp);
  const pending = makePending(before, stamp);
  const { status: _, ...updates } = update.updates;
  const rest = applyStopUpdate(pending.result, { ...update, updates }, stamp);
  return {
    result: rest.result,
    changed: pending.changed || rest.changed,
    touched: pending.touched || rest.touched,
    remarks: [...pending.remarks, ...rest.remarks],
  };
}

function makePending(before: StopResult, stamp: Stamp): AppliedUpdate {
  const merge = new FieldMerge(before, stamp);
  if (before.status === 'C') merge.remark('status_ignored', 'updates.status');
  else if (before.status !== 'P') merge.set(merge.result, 'status', 'P');
  return merge.finish();
}

function mergeStatus(merge: FieldMerge, stop: number, sent: StopStatus): void {
  const earlier = merge.result.status;
  const status = stop === warehouseStop && sent === 'C' ? 'D' : sent;
  // No driver makes a stop pending again, and a complete 999 stays complete: another D changes nothing.
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
  for (const [i, { line, n, key }] of keyedLines(lines).entries()) {
    const fields = lineFields(line);
    if (!hasValue(fields)) continue;
    const current = after[key];
    if (!current && room?.hasRoomForLine(kind, line.id, line.invoice, n) === false) {
      merge.remark('too_many_lines', `${kind}.${i}`);
      continue;
    }
    const holder: LineResult = current ? { ...current } : { id: line.id, invoice: line.invoice, n };
    if (room?.hasRoomForDetail(fields, holder) === false) {
      merge.remark('too_many_lines', `${kind}.${i}.updates`);
      fields.osd_data = fields.action_osd_data = fields.image_ids = fields.open_action = undefined;
      if (!hasValue(fields)) continue;
    }
    after[key] = holder;
    for (const name of ['osd_data', 'action_osd_data'] as const)
      if (fields[name]) fields[name] = keepOsdPhotos(fields[name], holder[name]);
    merge.setAll(holder, `${kind}.${key}.`, fields);
  }
}

type LineFields = { [Name in keyof Omit<Required<LineResult>, 'id' | 'invoice' | 'n'>]: LineResult[Name] };

/** The flat fields of a sent line. The literal names each field, so the engine allocates the object at once. */
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

/** Whether a line has any value. `updates: {}` has none: an uncounted line must not reach the host with a count of zero. */
const hasValue = (fields: LineFields): boolean => Object.values(fields).some((value) => value !== undefined);

/**
 * An exception that is sent again without its photo keeps its former photo: that of an equal exception, else that at the
 * same index. The photo of a removed exception must not pass to the next one.
 */
function keepOsdPhotos(sent: OsdGroup[], current: readonly OsdGroup[] | null | undefined): OsdGroup[] {
  if (!current?.length) return sent;
  const formers = current.map((group) => {
    const texts = group.data.map(textWithoutPhoto);
    // Reversed, so that the first of equal exceptions counts.
    return { ...group, texts, places: new Map(texts.map((text, i) => [text, i] as const).toReversed()) };
  });
  return sent.map((group) => {
    const former = formers.find((other) => other.osd_code === group.osd_code && other.osd_id === group.osd_id);
    if (!former) return group;
    const { data, texts, places } = former;
    return {
      ...group,
      data: group.data.map((entry, i) => {
        const text = textWithoutPhoto(entry);
        const place = texts[i] === text ? i : (places.get(text) ?? i);
        return { ...entry, images_id: entry.images_id ?? data[place]?.images_id ?? null };
      }),
    };
  });
}

const textWithoutPhoto = (entry: OsdEntry): string => canonicalJson({ ...entry, images_id: null });

function keepOveragePhotos(sent: OverageItem[], current: readonly OverageItem[] | undefined): OverageItem[] {
  if (!current?.length) return sent;
  return sent.map((item, i) => {
    const former = current[i];
    const same = former?.barcode === item.barcode && former.osd_code === item.osd_code;
    return same ? { ...item, images_id: item.images_id ?? former.images_id } : item;
  });
}

/** Whether edit `a` is later than `b`: by time, then by queue, then by sequence. All replicas have this total order. */
export function isLater(a: Stamp, b: Stamp): boolean {
  if (a.at !== b.at) return a.at > b.at;
  if (a.client !== b.client) return a.client > b.client;
  return a.seq > b.seq;
}

type Fields = { readonly [field: string]: Json | undefined };
type FieldSet = { [field: string]: Json | undefined };

/** One merge: the fields that the update won, and the writer of each field afterwards. */
class FieldMerge {
  readonly result: StopResult;
  readonly #before: StopResult;
  /** Whether the result has no writer yet: no edit can be later, and every field gets this stamp. */
  readonly #isFirst: boolean;
  readonly #stamp: Stamp;
  readonly #written = new Set<string>();
  readonly #remarks: Remark[] = [];
  #touched = false;
  #changed = false;

  constructor(before: StopResult, stamp: Stamp) {
    this.#before = before;
    this.#isFirst = !before.by?.length;
    this.#stamp = stamp;
    this.result = { ...before };
  }

  /** @param group the prefix of each field's path */
  setAll(holder: FieldSet, group: string, fields: Fields): void {
    for (const field in fields) {
      const value = fields[field];
      if (value !== undefined) this.set(holder, field, value, group);
    }
  }

  /** Writes a field unless a later edit wrote it. Returns whether the field has the value afterwards. */
  set(holder: FieldSet, field: string, value: Json, group = ''): boolean {
    const current = holder[field];
    const same = current !== undefined && equal(current, value);
    if (!this.#isFirst) {
      const path = group + field;
      const writer = current === undefined ? undefined : writerOf(this.#before, path);
      if (writer && !isLater(this.#stamp, writer)) {
        if (!same) this.remark('superseded', path);
        return same;
      }
      this.#written.add(path);
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
    if (this.#touched) this.#listWriters();
    return {
      result: this.#touched ? this.result : this.#before,
      changed: this.#changed,
      touched: this.#touched,
      remarks: this.#remarks,
    };
  }

  /** Lists the remaining writers; fields of the first one need no entry in `at`. */
  #listWriters(): void {
    if (this.#isFirst) {
      this.result.by = [this.#stamp];
      return;
    }
    const writers: Stamp[] = [];
    const at: Record<string, number> = {};
    const isStatusWritten = this.#written.has('status') || writerOf(this.#before, 'status') !== undefined;
    eachField(this.result, (path) => {
      if (path === 'status' && !isStatusWritten) return;
      const writer = this.#written.has(path) ? this.#stamp : (writerOf(this.#before, path) ?? this.#stamp);
      let index = writers.indexOf(writer);
      if (index < 0) index = writers.push(writer) - 1;
      if (index > 0 || (path === 'status' && this.result.status === 'P')) at[path] = index;
    });
    this.result.by = writers;
    this.result.at = Object.keys(at).length > 0 ? at : undefined;
  }
}

function equal(a: Json, b: Json): boolean {
  // Only objects need canonical text: most values are primitive.
  return a === b || (typeof a === 'object' && canonicalJson(a) === canonicalJson(b));
}
