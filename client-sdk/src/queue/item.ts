import * as z from 'zod/mini';
import { canonicalJson, mutationIdentity, routeKey, routeScope } from '@tailgate/sync-protocol';
import type { MutationResult, Scope } from '@tailgate/sync-protocol';
import type { StoreChange } from '../store/store.ts';

/**
 * How far a change has come. `version` is the route version that contains it, in the epoch of the route's scope; numbers
 * of another epoch are never compared (I9).
 */
const progress = z.discriminatedUnion('at', [
  z.object({ at: z.literal('waiting') }),
  z.object({
    at: z.literal('accepted'),
    version: z.number(),
    epoch: z.nullable(z.string()),
    since: z.number(),
    /** Fields that lost against a later edit and whose conflict nobody was told of yet. */
    superseded: z.array(z.string()),
  }),
  z.object({ at: z.literal('on_host'), version: z.number(), since: z.number() }),
  z.object({ at: z.literal('quarantined'), code: z.string(), reason: z.string(), since: z.number() }),
]);
export type Progress = z.infer<typeof progress>;

/** What the server's answer means; `epoch` is that of the route's scope as this device knows it. */
export function progressOf(answer: MutationResult, epoch: string | null, now: number): Progress {
  if (answer.result === 'quarantined')
    return { at: 'quarantined', code: answer.code ?? 'INTERNAL', reason: answer.reason ?? 'no reason was given', since: now };
  const lost = (answer.warnings ?? []).filter((warning) => warning.code === 'superseded');
  return { at: 'accepted', version: answer.version ?? 0, epoch, since: now, superseded: lost.map((warning) => warning.path) };
}

/** A mutation as it lies in storage. Read without judging: what an older or newer app wrote is sent as it is. */
const keptMutation = z.object({
  ...mutationIdentity.shape,
  name: z.string(),
  version: z.number(),
  args: z.record(z.string(), z.unknown()),
  captured_at: z.string(),
  boot_id: z.string(),
  monotonic_ms: z.number(),
  prev_hash: z.nullable(z.string()),
});
export type KeptMutation = z.infer<typeof keptMutation>;

const storedItem = z.object({
  client_id: z.string(),
  employee: z.string(),
  /**
   * `open`: nobody else has seen it, the next change of the same stop may merge into it. `frozen`: its content may be
   * known elsewhere under this id, its place in the chain is not fixed. `sealed`: immutable.
   */
  form: z.enum(['open', 'frozen', 'sealed']),
  /** When it was recorded as far as this device can tell (ms since 1970): for the order of edits in the local view. */
  edit_time: z.number(),
  mutation: keptMutation,
  progress,
});
type StoredItem = z.infer<typeof storedItem>;

/** A change in a queue. Only the outbox writes to it. */
export interface QueueItem extends StoredItem {
  /** What it changes; undefined where this build cannot tell (an app that was set back). */
  readonly target: Target | undefined;
}

export interface Target {
  readonly scope: Scope;
  readonly stop: number;
}

const targetArgs = z.object({
  route: routeKey,
  stop: z.optional(z.object({ id: z.number() })),
  stop_id: z.optional(z.number()),
});

function targetOf(args: unknown): Target | undefined {
  const parsed = targetArgs.safeParse(args);
  if (!parsed.success) return undefined;
  const stop = parsed.data.stop?.id ?? parsed.data.stop_id;
  return stop === undefined ? undefined : { scope: routeScope(parsed.data.route), stop };
}

export const toItem = (stored: StoredItem): QueueItem => ({ ...stored, target: targetOf(stored.mutation.args) });

/** Reads a stored item; undefined where the row is damaged. */
export function readItem(value: unknown): QueueItem | undefined {
  const parsed = storedItem.safeParse(value);
  return parsed.success ? toItem(parsed.data) : undefined;
}

export const isWaiting = (item: QueueItem): boolean => item.progress.at === 'waiting';

/** Waiting, or accepted and not yet seen on the host. */
export const isUnfinished = (item: QueueItem): boolean => isWaiting(item) || item.progress.at === 'accepted';

// Keys sort as sequences do.
const itemKey = (item: QueueItem): string => `${item.client_id}/${String(item.mutation.seq).padStart(10, '0')}`;

export function putItem(item: QueueItem): StoreChange {
  const { target: _, ...stored } = item;
  return { put: 'item', key: itemKey(item), value: stored };
}

export const deleteItem = (item: QueueItem): StoreChange => ({ delete: 'item', key: itemKey(item) });

const encoder = new TextEncoder();
/** Bytes of a JSON value on the wire. */
export const bytesOf = (value: unknown): number => encoder.encode(canonicalJson(value)).length;
