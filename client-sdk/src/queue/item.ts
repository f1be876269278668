import { routeScope } from '@tailgate/sync-protocol';
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
 * The progress of a change. `version` is the route version that contains it, in the epoch of the route's scope.
 * Versions of different epochs are never compared (I9).
 */
const evidence = optional(exactly('awaited', 'complete'));
/**
 * Whether the server has the files that the stop names; absent until the route's documents contain the change. A
 * complete change stays complete: later changes have receipts of their own.
 */
export type Evidence = Read<typeof evidence>;

const isProgress = either(
  fields({ at: exactly('waiting') }),
  fields({
    at: exactly('accepted'),
    version: number,
    epoch: nullable(text),
    since: number,
    /** Fields that lost against a later edit whose values have not arrived yet. */
    superseded: listOf(text),
    evidence,
  }),
  fields({ at: exactly('on_host', 'shadow'), version: number, since: number, accepted_at: optional(number), evidence }),
  /** `dismissed`: the office's reason for dismissing the change. */
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

/** A remark of the server about a change that it accepted all the same: the field, and a sentence. */
export interface ChangeWarning {
  /** One of the known codes, or one of a later server. */
  readonly code: WarningCode | (string & Record<never, never>);
  /** As in the change, such as `products.0.updates.delivered`; blank for a remark about the whole change. */
  readonly path: string;
  readonly message: string;
}
const isWarning: Check<ChangeWarning> = fields({ code: text, path: text, message: text });

const conflictForm = fields({ id: text, route: text, stop: number, path: text });
const isConflict: Check<Conflict> = (value): value is Conflict => conflictForm(value);

/** Information about a change for its driver, beside the progress. */
const isNotes = fields({
  /** The server's remarks on acceptance. */
  warnings: optional(listOf(isWarning)),
  /** Fields that lost against a later edit, with both values. */
  conflicts: optional(listOf(isConflict)),
  /** A listener of the app has received the event. */
  told: optional(flag),
  /** The driver has seen it. */
  acknowledged: optional(flag),
});
type Notes = Partial<Read<typeof isNotes>>;

/** The new parts of an item. */
export type Step = Notes & { readonly progress?: Progress };

/** Resets both flags: no person has seen the new state yet. */
const unseen = { told: false, acknowledged: false };

/** The step that a server's answer causes. @param epoch of the route's scope in the local replica */
export function stepOf(answer: MutationResult, epoch: string | null, now: number): Step {
  const { result, code = result, reason = code, version, warnings } = answer;
  if (result === 'quarantined')
    return { progress: { at: 'quarantined', code, reason, since: now, dismissed: undefined }, ...unseen };
  const lost = warnings?.flatMap((warning) => (isOfConflict(warning) ? warning.path : []));
  // A repeated answer may lack the warnings of the first.
  return { progress: accepted(version, epoch, now, lost), ...(warnings && { warnings }) };
}

/** A lost field is reported with both values, as a conflict. */
const isOfConflict = ({ code }: ChangeWarning): boolean => code === 'superseded';

/** The server's remarks that the driver has not seen yet. */
export const openWarnings = ({ warnings = [], acknowledged }: QueueItem): ChangeWarning[] =>
  acknowledged ? [] : warnings.filter((warning) => !isOfConflict(warning));

export const withConflicts = (conflicts: Conflict[]): Step => ({ conflicts, ...unseen });

const review = fields({
  state: exactly('open', 'released', 'dismissed'),
  version: optional(number),
  note: optional(text),
});

/**
 * The step that the server's review document of a quarantined change causes (docs/protocol.md, The feed, 9); undefined
 * where nothing changes.
 */
export function afterReview(progress: Progress, value: unknown, epoch: string | null, now: number): Step | undefined {
  if (progress.at !== 'quarantined' || !review(value)) return undefined;
  if (value.state === 'released') return { progress: accepted(value.version, epoch, now) };
  const dismissed = value.state === 'dismissed' ? (value.note ?? '') : undefined;
  return dismissed === progress.dismissed ? undefined : { progress: { ...progress, since: now, dismissed }, ...unseen };
}

/** A mutation in storage. It is read without validation: a change of an older or newer app is sent unchanged. */
export const storedMutation = fields({
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

const itemForm = fields({
  client_id: text,
  employee: text,
  /**
   * `open`: no other party has seen it, and the next change of the same stop may merge into it. `frozen`: other parties
   * may have its content under this id, but its place in the chain is open. `sealed`: immutable.
   */
  form: exactly('open', 'frozen', 'sealed'),
  /** The recording time by this device's estimate (ms since 1970): the order of edits in the local view. */
  edit_time: number,
  mutation: storedMutation,
  progress: isProgress,
});
type StoredItem = Read<typeof itemForm> & Notes;
const storedItem: Check<StoredItem> = (value): value is StoredItem => itemForm(value) && isNotes(value);

/** A change in a queue. Only the outbox writes to it. */
export interface QueueItem extends StoredItem {
  /** The stop that it changes; undefined where this build cannot read it (the app was downgraded). */
  readonly target: Target | undefined;
  /** The write of its present content, until it is done. */
  saving?: Promise<void> | undefined;
  /**
   * The driver may withdraw it: no transport has taken it. `delayed`: its undo window is open, so no transport may take
   * it. Defined only in the run that recorded it: an earlier run may have sent it.
   */
  undo?: 'delayed' | 'sendable' | undefined;
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

const updatesStatus = fields({ stop: fields({ updates: fields({ status: text }) }) });
const isSkip = fields({ stop_id: number });

/** The status that a change of a stop records; undefined for a change of other fields. A skip may be a refusal, too. */
export const statusOf = (args: unknown): string | undefined =>
  updatesStatus(args) ? args.stop.updates.status : isSkip(args) ? 'S' : undefined;

export const toItem = (stored: StoredItem): QueueItem => ({ ...stored, target: targetOf(stored.mutation.args) });

/** Reads a stored item; undefined where the row is damaged. */
export function readItem(value: unknown): QueueItem | undefined {
  return storedItem(value) ? toItem(value) : undefined;
}

export const isWaiting = (item: QueueItem): boolean => item.progress.at === 'waiting';

/**
 * The server has answered it, and the host may not have it yet. Changes without a route never count: no host status
 * follows for them.
 */
export const isAnswered = (item: QueueItem): boolean =>
  item.progress.at === 'accepted' ? item.target !== undefined : isInReview(item);

/** Waiting, or accepted and not finished, or without its files. */
export const isUnfinished = ({ progress, target }: QueueItem): boolean =>
  target !== undefined &&
  progress.at !== 'quarantined' &&
  (progress.at === 'waiting' || progress.at === 'accepted' || progress.evidence === 'awaited');

/** The office has it for review. */
export const isInReview = ({ progress }: QueueItem): boolean =>
  progress.at === 'quarantined' && progress.dismissed === undefined;

/** The office has it for review, or its driver has not seen the result. */
export const isNotable = (item: QueueItem): boolean =>
  isInReview(item) ||
  (!item.acknowledged && (item.progress.at === 'quarantined' || !!item.conflicts?.length)) ||
  openWarnings(item).length > 0;

// Keys sort in the order of sequences.
const itemKey = (item: QueueItem): string => `${item.client_id}/${String(item.mutation.seq).padStart(10, '0')}`;

export function putItem(item: QueueItem): StoreChange {
  const { target: _, saving: _saving, undo: _undo, ...stored } = item;
  return { put: 'item', key: itemKey(item), value: stored };
}

export const deleteItem = (item: QueueItem): StoreChange => ({ delete: 'item', key: itemKey(item) });

/** The order of edits. */
export const byEdit = (a: QueueItem, b: QueueItem): number =>
  a.edit_time - b.edit_time || a.mutation.seq - b.mutation.seq;

const encoder = new TextEncoder();
/** Bytes of a JSON value on the wire. */
export const bytesOf = (value: unknown): number => encoder.encode(JSON.stringify(value)).length;
