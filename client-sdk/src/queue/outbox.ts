import type { MutationResult, Scope } from '@tailgate/sync-protocol';
import { deviceTimesOf, stopUpdateArgs } from '@tailgate/sync-protocol';
import type { DeviceTime } from '../connection/device-time.ts';
import type { Environment } from '../platform/environment.ts';
import { newId } from '../platform/environment.ts';
import type { Journal } from '../store/journal.ts';
import type { Row, StoreChange } from '../store/store.ts';
import type { QueueItem, Step } from './item.ts';
import {
  bytesOf,
  deleteItem,
  isInReview,
  isNotable,
  isUnfinished,
  isWaiting,
  putItem,
  readItem,
  stepOf,
  targetOf,
  toItem,
} from './item.ts';
import { mergeUpdates } from './merge.ts';
import type { MissingRange, QueueHead } from './queue.ts';
import { isQueueHead, putQueue, Queue } from './queue.ts';
import type { Draft } from './record.ts';
import { maxArgsBytes, withDeviceTimes } from './record.ts';
import { ItemsByStop } from './items-by-stop.ts';
import type { StopDrafts } from './stop-drafts.ts';

/** The longest time between two edits that merge. Their fields then share one edit time, which decides conflicts. */
const mergeWindowMs = 60_000;

/** How long items remain after the host has them, for a server that is restored from a backup. */
const keepHostedMs = 7 * 86_400_000;
/** How long items remain that still lack the host's confirmation or the driver's acknowledgement. */
const keepAcceptedMs = 30 * 86_400_000;

export interface OutboxDeps {
  readonly journal: Journal;
  readonly environment: Environment;
  /** `id` identifies the present run of the monotonic clock. */
  readonly time: Pick<DeviceTime, 'id' | 'elapsed' | 'stamp'>;
  /** How long a new change waits before it may be sent, so that it can be withdrawn; ms. */
  readonly undoWindow?: number;
  /** Half-filled stops; a recorded result ends its draft in the same write. */
  readonly drafts?: StopDrafts;
}

/** Returns the epoch of a scope in the local replica; null where it has none. */
export interface Epochs {
  epochOf(scope: Scope | undefined): string | null;
}

/**
 * All queues of this installation, of all drivers. The only writer of items, which go to storage first (write-ahead).
 */
export class Outbox {
  /** Rows that could not be read; the store retains them. */
  readonly damaged: string[] = [];
  /** Items that the host may not have yet. */
  readonly unfinished = new ItemsByStop(isUnfinished);
  /** Items that a driver or the office has to look at. */
  readonly notable = new ItemsByStop(isNotable);
  /** All stored items. */
  readonly recorded = new ItemsByStop(() => true);
  readonly #byStop = [this.unfinished, this.notable, this.recorded];
  /** Receives the items whose content or progress has changed. */
  onChange: (items: readonly QueueItem[]) => void = () => {};
  /** Changes that are in memory only. */
  unsaved = 0;
  /** Runs when such a change is on the disk. */
  onSaved: () => void = () => {};
  /** Runs when an undo window has ended: its change may be sent. */
  onRelease: () => void = () => {};
  readonly #deps: OutboxDeps;
  /** Items with an open undo window, and the function that stops its timer. */
  readonly #undoTimers = new Map<QueueItem, () => void>();
  readonly #queues = new Map<string, Queue>();
  readonly #items = new Map<string, QueueItem>();

  /**
   * @param heads the stored queue rows
   * @param items the stored item rows
   */
  constructor(heads: readonly Row[], items: readonly Row[], deps: OutboxDeps) {
    this.#deps = deps;
    for (const { key, value } of heads) {
      if (isQueueHead(value)) this.#addQueue(value);
      else this.damaged.push(`queue ${key}`);
    }
    for (const { key, value } of items) {
      const item = readItem(value);
      const queue = item && this.#queues.get(item.client_id);
      if (item && queue) this.#add(queue, item);
      else {
        this.damaged.push(`item ${key}`);
        this.#reserve(key);
      }
    }
  }

  /** A damaged row stays in the store: no later change takes its place. The queue declares it lost. */
  #reserve(key: string): void {
    const [clientId = '', seq] = key.split('/');
    const queue = this.#queues.get(clientId);
    if (queue) queue.reserved = Math.max(queue.reserved, Number(seq) || 0);
  }

  get queues(): IterableIterator<Queue> {
    return this.#queues.values();
  }

  /** The queue for this employee's new changes; created on first use. */
  queueOf(employee: string): Queue {
    for (const queue of this.queues) if (queue.head.employee === employee && !queue.head.retired) return queue;
    return this.#newQueue(employee);
  }

  /** Whether a queue belongs to this installation, of any driver. */
  owns(clientId: string): boolean {
    return this.#queues.has(clientId);
  }

  find(id: string): QueueItem | undefined {
    return this.#items.get(id);
  }

  /**
   * Records a change; at once in memory, so that the view shows it. `saved` resolves when it is on the disk.
   *
   * @param id of a change that another page has already given out; such a change never merges
   * @param notBefore the earliest time (ms since 1970) at which the local view may place the edit: that of the edit
   * below it
   */
  record(employee: string, draft: Draft, notBefore: number, id?: string): { item: QueueItem; saved: Promise<void> } {
    const queue = this.queueOf(employee);
    const merged = this.#undoWindow === 0 && id === undefined ? this.#mergeIntoTail(queue, draft) : undefined;
    const item = merged ?? this.#append(queue, draft, notBefore, id);
    if (!merged) this.#startUndoWindow(item);
    const replaced = this.#deps.drafts?.recorded(item) ?? [];
    const saved = this.#deps.journal.commit([putQueue(queue), putItem(item), ...replaced]);
    void this.#whenSaved(item, saved);
    this.onChange([item]);
    return { item, saved };
  }

  /**
   * Withdraws a change that no transport has taken, and moves later ones up. Resolves when storage has deleted it.
   * Undefined where it is too late, or where an earlier run recorded the change.
   */
  withdraw(id: string): Promise<void> | undefined {
    const item = this.#items.get(id);
    const queue = item && this.#queues.get(item.client_id);
    if (!queue || !item.undo) return undefined;
    const later = queue.items.slice(queue.items.indexOf(item) + 1);
    if (later.some(({ undo }) => !undo)) return undefined;
    this.#endUndoWindow(item);
    const changes = [item, ...later].map(deleteItem);
    queue.keep(queue.items.filter((each) => each !== item));
    for (const each of later) each.mutation = { ...each.mutation, seq: each.mutation.seq - 1 };
    this.#drop(item);
    const returned = this.#deps.drafts?.withdrawn(item) ?? [];
    const stored = this.#deps.journal.commit([...changes, ...later.map(putItem), ...returned]);
    this.onChange([item]);
    return stored;
  }

  /** Ends every undo window. */
  release(): void {
    for (const item of [...this.#undoTimers.keys()]) this.#endUndoWindow(item);
  }

  get #undoWindow(): number {
    return this.#deps.undoWindow ?? 0;
  }

  #startUndoWindow(item: QueueItem): void {
    item.undo = this.#undoWindow > 0 ? 'delayed' : 'sendable';
    if (item.undo === 'sendable') return;
    const stopTimer = this.#deps.environment.clock.after(this.#undoWindow, () => {
      this.#endUndoWindow(item);
      this.onRelease();
    });
    this.#undoTimers.set(item, stopTimer);
  }

  #endUndoWindow(item: QueueItem): void {
    this.#undoTimers.get(item)?.();
    this.#undoTimers.delete(item);
    item.undo = 'sendable';
  }

  /** Applies the server's results, in any order and any number of times. */
  settle(queue: Queue, results: readonly MutationResult[], epochs: Epochs): void {
    const { stamp } = this.#deps.time;
    const moves = new Map<QueueItem, Step>();
    for (const result of results) {
      const item = this.find(result.id);
      if (!item || !queue.waiting.has(item)) continue;
      moves.set(item, stepOf(result, epochs.epochOf(item.target?.scope), stamp));
    }
    void this.advance(moves);
  }

  /** Applies the caller's steps to items. Resolves when they are on the disk. */
  advance(moves: ReadonlyMap<QueueItem, Step>): Promise<void> {
    for (const [item, step] of moves) {
      Object.assign(item, step);
      this.#queues.get(item.client_id)?.count(item);
      this.#place(item);
    }
    return this.#store([...moves.keys()]);
  }

  /** Reconciles a queue with the server's watermark; `fork` where the queue has to continue as another one. */
  reconcile(queue: Queue, lastSeq: number, epoch: string | null): MissingRange | 'fork' | undefined {
    const { head } = queue;
    // The server has items of this queue that this device never sealed: the device, or its storage, is a copy. A phone
    // that went on after a rescue finds its items known there, or receives a fork.
    if (lastSeq > Math.max(head.sealed_seq, queue.reserved) && !head.retired) return 'fork';
    const reopened = queue.reopen(lastSeq);
    for (const item of reopened) this.#place(item);
    head.epoch = epoch;
    void this.#store(reopened, putQueue(queue));
    return queue.missingAt(lastSeq + 1);
  }

  /**
   * Another device uses the same sequences: waiting items continue in a new queue with new numbers and the same ids
   * (protocol.md, The queue). Answered items stay in the old queue.
   */
  fork(queue: Queue): Queue {
    const waiting = [...queue.waiting];
    queue.head.retired = true;
    const changes: StoreChange[] = waiting.map(deleteItem);
    queue.keep(queue.items.filter((item) => !isWaiting(item)));
    const next = this.#newQueue(queue.head.employee);
    for (const [i, item] of waiting.entries()) {
      // A server may have a sealed item under this id: its content must not change.
      const form = item.form === 'open' ? 'open' : 'frozen';
      const mutation = { ...item.mutation, seq: i + 1, prev_hash: null };
      Object.assign(item, { client_id: next.head.client_id, form, mutation });
      next.add(item);
    }
    // One transaction: after a crash, either queue is complete. No listener: the caller connects the new queue.
    void this.#deps.journal.commit([...changes, putQueue(queue), putQueue(next), ...waiting.map(putItem)]);
    return next;
  }

  /** @param key null where the server rejected the stored one: the next hello with a token requests another */
  setQueueKey(queue: Queue, key: string | null): void {
    queue.head.queue_key = key;
    void this.#store([], putQueue(queue));
  }

  /**
   * Deletes items and drafts that are no longer needed, while the server's time is known. A hole in a queue loses
   * nothing: the server has those items.
   */
  purge(): void {
    const { stamp } = this.#deps.time;
    void this.#deps.journal.commit(this.#deps.drafts?.purge() ?? [], 'relaxed');
    for (const queue of this.queues) {
      const forgotten = queue.items.filter((item) => isForgettable(item, stamp));
      if (forgotten.length === 0) continue;
      queue.keep(queue.items.filter((item) => !forgotten.includes(item)));
      for (const item of forgotten) this.#drop(item);
      void this.#deps.journal.commit(forgotten.map(deleteItem), 'relaxed');
    }
  }

  async #whenSaved(item: QueueItem, saved: Promise<void>): Promise<void> {
    if (!item.saving) this.unsaved++;
    item.saving = saved;
    await saved;
    if (item.saving !== saved) return;
    item.saving = undefined;
    this.unsaved--;
    this.onSaved();
  }

  #append(queue: Queue, draft: Draft, notBefore: number, id?: string): QueueItem {
    const { environment, time } = this.#deps;
    const { clock } = environment;
    const now = clock.now();
    const { client_id, employee } = queue.head;
    const item = toItem({
      client_id,
      employee,
      // Another page refers to this id: no other change may merge into it.
      form: id === undefined ? 'open' : 'frozen',
      edit_time: Math.max(now, notBefore, queue.items.at(-1)?.edit_time ?? 0),
      mutation: {
        ...draft,
        id: id ?? newId(environment),
        seq: queue.nextSeq,
        captured_at: new Date(now).toISOString(),
        boot_id: time.id,
        monotonic_ms: time.elapsed,
        prev_hash: null,
      },
      progress: { at: 'waiting' },
    });
    this.#add(queue, item);
    return item;
  }

  #mergeIntoTail(queue: Queue, draft: Draft): QueueItem | undefined {
    const { time, environment } = this.#deps;
    const tail = queue.items.at(-1);
    if (tail?.form !== 'open' || tail.mutation.boot_id !== time.id) return undefined;
    // The stop first: to parse both changes costs far more, and most taps follow one of another stop.
    const target = targetOf(draft.args);
    if (tail.target?.stop !== target?.stop || tail.target?.scope !== target?.scope) return undefined;
    const since = time.elapsed - tail.mutation.monotonic_ms;
    if (since > mergeWindowMs) return undefined;
    // Both edits are corrected by the clock error at the first one: the clock must not have been set in between.
    const clockShift = environment.clock.now() - Date.parse(tail.mutation.captured_at) - since;
    if (deviceTimesOf(draft.args).length > 0 && Math.abs(clockShift) > 1_000) return undefined;
    const args = mergeArgs(tail.mutation.args, draft.args);
    if (!args || bytesOf(args) > maxArgsBytes) return undefined;
    // The clock readings of the first edit stay: the merge window counts from there.
    tail.mutation = { ...tail.mutation, args };
    return tail;
  }

  /** Stores the items and the other changes in one transaction, and notifies the listener. */
  #store(items: readonly QueueItem[], ...before: readonly StoreChange[]): Promise<void> {
    const stored = this.#deps.journal.commit([...before, ...items.map(putItem)]);
    if (items.length > 0) this.onChange(items);
    return stored;
  }

  #newQueue(employee: string): Queue {
    const client_id = newId(this.#deps.environment);
    return this.#addQueue({
      client_id,
      employee,
      retired: false,
      queue_key: null,
      sealed_seq: 0,
      sealed_link: null,
      epoch: null,
    });
  }

  #addQueue(head: QueueHead): Queue {
    const queue = new Queue(head, this.#deps.journal, this.#deps.environment.sha256);
    this.#queues.set(head.client_id, queue);
    return queue;
  }

  #add(queue: Queue, item: QueueItem): void {
    queue.add(item);
    this.#items.set(item.mutation.id, item);
    this.#place(item);
  }

  #drop(item: QueueItem): void {
    this.#items.delete(item.mutation.id);
    for (const items of this.#byStop) items.forget(item);
  }

  #place(item: QueueItem): void {
    for (const items of this.#byStop) items.place(item);
  }
}

/** Merges two updates of the same stop into one; undefined where either is another kind of change, or they cannot merge. */
function mergeArgs(earlier: unknown, added: unknown): Record<string, unknown> | undefined {
  const [first, second] = [stopUpdateArgs.safeParse(earlier).data, stopUpdateArgs.safeParse(added).data];
  if (!first || !second) return undefined;
  const stop = mergeUpdates(first.stop, second.stop);
  const marks = deviceTimesOf(earlier).filter((name) => second.stop.updates?.[name] === undefined);
  return stop && withDeviceTimes({ route: first.route, stop }, [...marks, ...deviceTimesOf(added)]);
}

function isForgettable(item: QueueItem, now: number): boolean {
  const { progress } = item;
  if (progress.at === 'waiting' || isInReview(item)) return false;
  return now - progress.since > (progress.at === 'accepted' || isNotable(item) ? keepAcceptedMs : keepHostedMs);
}
