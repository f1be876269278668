import { canonicalJson, routeScope } from '@tailgate/sync-protocol';
import type { MutationResult, Scope, WarningCode } from '@tailgate/sync-protocol';
import type { Conflict } from '../engine/events.ts';
import type { Check, Read } from '../platform/reading.ts';
import {
  either,
  exactly,
  fields,
  flag,
  listOf,
  nullable,
  number,
  optional,
  record,
  text,
} from '../platform/reading.ts';
import type { StoreChange } from '../store/store.ts';

/**
 * How far a change has come. `version` is the route version that contains it, in the epoch of the route's scope; numbers
 * of another epoch are never compared (I9).
 */
const evidence = optional(exactly('awaited', 'complete'));
/**
 * Whether the files that its stop names are on the server; absent until the route's documents hold the change. What was
 * complete once stays so: later changes have receipts of their own.
 */
export type Evidence = Read<typeof evidence>;

const isProgress = either(
  fields({ at: exactly('waiting') }),
  fields({
    at: exactly('accepted'),
    version: number,
    epoch: nullable(text),
    since: number,
    /** Fields that lost against a later edit whose values are not here yet. */
    superseded: listOf(text),
    evidence,
  }),
  fields({ at: exactly('on_host'), version: number, since: number, evidence }),
  /** `dismissed`: the office's words where it has put the change aside. */
  fields({ at: exactly('quarantined'), code: text, reason: text, since: number, dismissed: optional(text) }),
);
export type Progress = Read<typeof isProgress>;

const accepted = (version = 0, epoch: string | null, since: number, superseded: string[] = []): Progress => ({
  at: 'accepted',
  version,
  epoch,
  since,
  superseded,
  evidence: undefined,
});

/** What the server remarked of a change that it took in all the same, and of which field, in a sentence. */
export interface ChangeWarning {
  /** One of the known codes, or one of a later server. */
  readonly code: WarningCode | (string & Record<never, never>);
  /** As in the change, such as `products.0.updates.delivered`; blank where it is about the whole. */
  readonly path: string;
  readonly message: string;
}
const isWarning: Check<ChangeWarning> = fields({ code: text, path: text, message: text });

const conflictForm = fields({ id: text, route: text, stop: number, path: text });
const isConflict: Check<Conflict> = (value): value is Conflict => conflictForm(value);

/** What a person may have to know of a change, beside how far it has come. */
const isNotes = fields({
  /** What the server remarked when it took the change in. */
  warnings: optional(listOf(isWarning)),
  /** Fields that lost against a later edit, with both values. */
  conflicts: optional(listOf(isConflict)),
  /** An app that listens has heard of it. */
  told: optional(flag),
  /** The driver has seen it. */
  acknowledged: optional(flag),
});
type Notes = Partial<Read<typeof isNotes>>;

/** What is new of an item. */
export type Step = Notes & { readonly progress?: Progress };

/** Something that no person has seen yet. */
const news = { told: false, acknowledged: false };

/** What the server's answer means; `epoch` is that of the route's scope as this device knows it. */
export function stepOf(answer: MutationResult, epoch: string | null, now: number): Step {
  const { result, code = result, reason = code, version, warnings } = answer;
  if (result === 'quarantined')
    return { progress: { at: 'quarantined', code, reason, since: now, dismissed: undefined }, ...news };
  const lost = warnings?.flatMap((warning) => (isOfConflict(warning) ? warning.path : []));
  // An answer that comes again may have none where the first had some.
  return { progress: accepted(version, epoch, now, lost), ...(warnings && { warnings }) };
}

/** A field that lost is told with both values, as a conflict. */
const isOfConflict = ({ code }: ChangeWarning): boolean => code === 'superseded';

/** What the driver has not seen yet of what the server remarked. */
export const openWarnings = ({ warnings = [], acknowledged }: QueueItem): ChangeWarning[] =>
  acknowledged ? [] : warnings.filter((warning) => !isOfConflict(warning));

export const withConflicts = (conflicts: Conflict[]): Step => ({ conflicts, ...news });

const review = fields({
  state: exactly('open', 'released', 'dismissed'),
  version: optional(number),
  note: optional(text),
});

/**
 * What a change that was kept for review becomes by the server's document of it (docs/protocol.md, The feed, 9);
 * undefined where it stays what it is.
 */
export function afterReview(progress: Progress, value: unknown, epoch: string | null, now: number): Step | undefined {
  if (progress.at !== 'quarantined' || !review(value)) return undefined;
  if (value.state === 'released') return { progress: accepted(value.version, epoch, now) };
  const dismissed = value.state === 'dismissed' ? (value.note ?? '') : undefined;
  return dismissed === progress.dismissed ? undefined : { progress: { ...progress, since: now, dismissed }, ...news };
}

/** A mutation as it lies in storage. Read without judging: what an older or newer app wrote is sent as it is. */
export const keptMutation = fields({
  id: text,
  seq: number,
  name: text,
  version: number,
  args: record,
  captured_at: text,
  boot_id: text,
  monotonic_ms: number,
  prev_hash: nullable(text),
});
export type KeptMutation = Read<typeof keptMutation>;

const itemForm = fields({
  client_id: text,
  employee: text,
  /**
   * `open`: nobody else has seen it, the next change of the same stop may merge into it. `frozen`: its content may be
   * known elsewhere under this id, its place in the chain is not fixed. `sealed`: immutable.
   */
  form: exactly('open', 'frozen', 'sealed'),
  /** When it was recorded as far as this device can tell (ms since 1970): for the order of edits in the local view. */
  edit_time: number,
  mutation: keptMutation,
  progress: isProgress,
});
type StoredItem = Read<typeof itemForm> & Notes;
const storedItem: Check<StoredItem> = (value): value is StoredItem => itemForm(value) && isNotes(value);

/** A change in a queue. Only the outbox writes to it. */
export interface QueueItem extends StoredItem {
  /** What it changes; undefined where this build cannot tell (an app that was set back). */
  readonly target: Target | undefined;
  /** The write of its present content, until it is done. */
  saving?: Promise<void> | undefined;
  /**
   * No transport has taken it, so it may be withdrawn; `held`: its undo window is open, and none takes it. Undefined in every
   * run but that which recorded it: an earlier one may have sent it.
   */
  undo?: 'held' | 'free' | undefined;
}

export interface Target {
  readonly scope: Scope;
  readonly stop: number;
}

const aboutStop = fields({
  route: fields({ facility: text, id: text, week_end: text }),
  stop: optional(fields({ id: number })),
  stop_id: optional(number),
});

export function targetOf(args: unknown): Target | undefined {
  if (!aboutStop(args)) return undefined;
  const { route, stop_id, stop = { id: stop_id } } = args;
  return stop.id === undefined ? undefined : { scope: routeScope(route), stop: stop.id };
}

export const toItem = (stored: StoredItem): QueueItem => ({ ...stored, target: targetOf(stored.mutation.args) });

/** Reads a stored item; undefined where the row is damaged. */
export function readItem(value: unknown): QueueItem | undefined {
  return storedItem(value) ? toItem(value) : undefined;
}

export const isWaiting = (item: QueueItem): boolean => item.progress.at === 'waiting';

/** The server has answered it, and the host is not known to have it; of what belongs to no route nobody ever tells. */
export const isAnswered = (item: QueueItem): boolean =>
  item.progress.at === 'accepted' ? item.target !== undefined : isInReview(item);

/** Waiting, or accepted and not yet seen on the host, or there without its files. */
export const isUnfinished = ({ progress, target }: QueueItem): boolean =>
  target !== undefined &&
  (progress.at === 'waiting' ||
    progress.at === 'accepted' ||
    (progress.at === 'on_host' && progress.evidence === 'awaited'));

/** The office has it for review. */
export const isInReview = ({ progress }: QueueItem): boolean =>
  progress.at === 'quarantined' && progress.dismissed === undefined;

/** Something of it is for a person: the office has it for review, or its driver has not seen what became of it. */
export const isNotable = (item: QueueItem): boolean =>
  isInReview(item) ||
  (!item.acknowledged && (item.progress.at === 'quarantined' || !!item.conflicts?.length)) ||
  openWarnings(item).length > 0;

// Keys sort as sequences do.
const itemKey = (item: QueueItem): string => `${item.client_id}/${String(item.mutation.seq).padStart(10, '0')}`;

export function putItem(item: QueueItem): StoreChange {
  const { target: _, saving: _saving, undo: _undo, ...stored } = item;
  return { put: 'item', key: itemKey(item), value: stored };
}

export const deleteItem = (item: QueueItem): StoreChange => ({ delete: 'item', key: itemKey(item) });

const encoder = new TextEncoder();
/** Bytes of a JSON value on the wire. */
export const bytesOf = (value: unknown): number => encoder.encode(canonicalJson(value)).length;
