import type { MutationResult, Scope } from '@tailgate/sync-protocol';
import { deviceTimesOf, routeScope, stopUpdateArgs } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';
import { newId } from '../platform/environment.ts';
import type { Journal } from '../store/journal.ts';
import type { Row, StoreChange } from '../store/store.ts';
import type { QueueItem, Step } from './item.ts';
import {
  deleteItem,
  isInReview,
  isNotable,
  isUnfinished,
  isWaiting,
  putItem,
  readItem,
  stepOf,
  toItem,
} from './item.ts';
import { mergeUpdates } from './merge.ts';
import type { Gone, QueueHead } from './queue.ts';
import { isQueueHead, putQueue, Queue } from './queue.ts';
import type { Draft } from './record.ts';
import { withDeviceTimes } from './record.ts';
import { ItemsByStop } from './items-by-stop.ts';

/** How long apart two edits may be that merge: their fields share one edit time afterwards, which decides conflicts. */
const mergeWindowMs = 60_000;

/** How long items are kept after the host has them: for a server that is restored from a backup. */
const keepHostedMs = 7 * 86_400_000;
/** How long where nobody came back to ask for the host's word, or to see what became of it. */
const keepAcceptedMs = 30 * 86_400_000;

export interface OutboxDeps {
  readonly journal: Journal;
  readonly environment: Environment;
  /** Names the present run of the monotonic clock. */
  readonly time: { readonly id: string; readonly elapsed: number };
  /** How long a change is held back after it was recorded, so that it can be withdrawn; ms. */
  readonly undoWindow?: number;
}

/** In which epoch this device knows a scope; null where it does not. */
export interface Epochs {
  epochOf(scope: Scope | undefined): string | null;
}

/** Every queue of this installation, whoever's they are. The only writer of items (write-ahead: storage first). */
export class Outbox {
  /** Rows that could not be read: kept as they are. */
  readonly damaged: string[] = [];
  /** What the host is not known to have. */
  readonly unfinished = new ItemsByStop(isUnfinished);
  /** What a person has to know of, or the office to look at. */
  readonly notable = new ItemsByStop(isNotable);
  /** All that is kept. */
  readonly recorded = new ItemsByStop(() => true);
  readonly #byStop = [this.unfinished, this.notable, this.recorded];
  /** Told of items whose content or progress is another one. */
  onChange: (items: readonly QueueItem[]) => void = () => {};
  /** Told when changes that were held may be sent. */
  onRelease: () => void = () => {};
  readonly #deps: OutboxDeps;
  /** What is held, and the way to call its end off. */
  readonly #held = new Map<QueueItem, () => void>();
  readonly #queues = new Map<string, Queue>();
  readonly #items = new Map<string, QueueItem>();

  /** @param heads and items as they were stored */
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
      else this.damaged.push(`item ${key}`);
    }
  }

  get queues(): IterableIterator<Queue> {
    return this.#queues.values();
  }

  /** The queue into which this employee's changes go now; a new one on first use. */
  queueOf(employee: string): Queue {
    for (const queue of this.queues) if (queue.head.employee === employee && !queue.head.retired) return queue;
    return this.#newQueue(employee);
  }

  /** Whether a queue is one of this installation, whoever's. */
  owns(clientId: string): boolean {
    return this.#queues.has(clientId);
  }

  find(id: string): QueueItem | undefined {
    return this.#items.get(id);
  }

  /**
   * Takes in a change; in memory at once, so that the view shows it. `saved` resolves when it is on the disk.
   *
   * @param id of a change that was made elsewhere and goes by this name there: it stays a change of its own
   * @param notBefore no earlier than this (ms since 1970) does the local view place the edit: it was made on top of that
   */
  record(employee: string, draft: Draft, notBefore: number, id?: string): { item: QueueItem; saved: Promise<void> } {
    const queue = this.queueOf(employee);
    const merged = this.#undoWindow === 0 && id === undefined ? this.#mergeIntoTail(queue, draft) : undefined;
    const item = merged ?? this.#append(queue, draft, notBefore, id);
    if (!merged) this.#hold(item);
    const saved = this.#deps.journal.commit([putQueue(queue), putItem(item)]);
    void isSaving(item, saved);
    this.onChange([item]);
    return { item, saved };
  }

  /**
   * Takes a change back that no transport has taken; what is behind it moves up. Resolves when the disk has forgotten it.
   * Undefined where it is too late, or this run has not recorded it.
   */
  withdraw(id: string): Promise<void> | undefined {
    const item = this.#items.get(id);
    const queue = item && this.#queues.get(item.client_id);
    if (!queue || !item.undo) return undefined;
    const behind = queue.items.slice(queue.items.indexOf(item) + 1);
    if (behind.some(({ undo }) => !undo)) return undefined;
    this.#free(item);
    const changes = [item, ...behind].map(deleteItem);
    queue.keep(queue.items.filter((each) => each !== item));
    for (const each of behind) each.mutation = { ...each.mutation, seq: each.mutation.seq - 1 };
    this.#drop(item);
    const stored = this.#deps.journal.commit([...changes, ...behind.map(putItem)]);
    this.onChange([item]);
    return stored;
  }

  /** Ends every undo window. */
  release(): void {
    for (const item of [...this.#held.keys()]) this.#free(item);
  }

  get #undoWindow(): number {
    return this.#deps.undoWindow ?? 0;
  }

  #hold(item: QueueItem): void {
    item.undo = this.#undoWindow > 0 ? 'held' : 'free';
    if (item.undo === 'free') return;
    const stopTimer = this.#deps.environment.clock.after(this.#undoWindow, () => {
      this.#free(item);
      this.onRelease();
    });
    this.#held.set(item, stopTimer);
  }

  #free(item: QueueItem): void {
    this.#held.get(item)?.();
    this.#held.delete(item);
    item.undo = 'free';
  }

  /** What the server says became of items, in any order, as often as it likes. */
  settle(queue: Queue, results: readonly MutationResult[], epochs: Epochs): void {
    const now = this.#deps.environment.clock.now();
    const moves = new Map<QueueItem, Step>();
    for (const result of results) {
      const item = this.find(result.id);
      if (!item || !queue.waiting.has(item)) continue;
      moves.set(item, stepOf(result, epochs.epochOf(item.target?.scope), now));
    }
    void this.advance(moves);
  }

  /** Moves items along; what they become is the caller's to say. Resolves when it is on the disk. */
  advance(moves: ReadonlyMap<QueueItem, Step>): Promise<void> {
    for (const [item, step] of moves) {
      Object.assign(item, step);
      this.#queues.get(item.client_id)?.count(item);
      this.#place(item);
    }
    return this.#store([...moves.keys()]);
  }

  /** Brings a queue and the server's watermark together; `fork` where the queue has to go on as another one. */
  reconcile(queue: Queue, lastSeq: number, epoch: string | null): Gone | 'fork' | undefined {
    const { head } = queue;
    // A server that holds items under our name which we never made: this device, or its storage, is a copy. What was
    // rescued from a phone that went on after all is known there, or is answered with a fork.
    if (lastSeq > head.sealed_seq && !head.retired) return 'fork';
    const reopened = queue.reopen(lastSeq);
    for (const item of reopened) this.#place(item);
    head.epoch = epoch;
    void this.#store(reopened, putQueue(queue));
    return queue.missingAt(lastSeq + 1);
  }

  /**
   * Somebody else holds our sequences: what waits goes on under a new name, numbered anew, with its ids
   * (protocol.md, The queue). What was answered stays where it is.
   */
  fork(queue: Queue): Queue {
    const waiting = [...queue.waiting];
    queue.head.retired = true;
    const changes: StoreChange[] = waiting.map(deleteItem);
    queue.keep(queue.items.filter((item) => !isWaiting(item)));
    const next = this.#newQueue(queue.head.employee);
    for (const [i, item] of waiting.entries()) {
      // What was sealed may be known to a server under this id: its content stays as it is.
      const form = item.form === 'open' ? 'open' : 'frozen';
      const mutation = { ...item.mutation, seq: i + 1, prev_hash: null };
      Object.assign(item, { client_id: next.head.client_id, form, mutation });
      next.add(item);
    }
    // One transaction: a crash finds either queue whole.
    void this.#store(waiting, ...changes, putQueue(queue), putQueue(next));
    return next;
  }

  /** @param key null where the one that was held opens nothing: the next hello with a token asks for another */
  setQueueKey(queue: Queue, key: string | null): void {
    queue.head.queue_key = key;
    void this.#store([], putQueue(queue));
  }

  /** Lets go of what nobody will ask for again. A hole in a queue is no loss: the server has what was there. */
  purge(): void {
    const now = this.#deps.environment.clock.now();
    for (const queue of this.queues) {
      const forgotten = queue.items.filter((item) => isForgettable(item, now));
      if (forgotten.length === 0) continue;
      queue.keep(queue.items.filter((item) => !forgotten.includes(item)));
      for (const item of forgotten) this.#drop(item);
      void this.#deps.journal.commit(forgotten.map(deleteItem), 'relaxed');
    }
  }

  #append(queue: Queue, draft: Draft, notBefore: number, id?: string): QueueItem {
    const { environment, time } = this.#deps;
    const { clock } = environment;
    const now = clock.now();
    const { client_id, employee } = queue.head;
    const item = toItem({
      client_id,
      employee,
      // What another page calls by its id takes no other change in.
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
    const since = time.elapsed - tail.mutation.monotonic_ms;
    if (since > mergeWindowMs) return undefined;
    // Both are corrected by what the clock lacked at the first: it must not have been turned meanwhile.
    const turned = environment.clock.now() - Date.parse(tail.mutation.captured_at) - since;
    if (deviceTimesOf(draft.args).length > 0 && Math.abs(turned) > 1_000) return undefined;
    const args = mergeArgs(tail.mutation.args, draft.args);
    if (!args) return undefined;
    // The first edit's clocks stay: the window counts from there.
    tail.mutation = { ...tail.mutation, args };
    return tail;
  }

  /** Stores items as they are now, in one transaction with what else has happened, and tells of them. */
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

async function isSaving(item: QueueItem, saved: Promise<void>): Promise<void> {
  item.saving = saved;
  await saved;
  if (item.saving === saved) item.saving = undefined;
}

/** Two updates of one stop as one; undefined where they are no such updates, or cannot be one. */
function mergeArgs(held: unknown, added: unknown): Record<string, unknown> | undefined {
  const [first, second] = [stopUpdateArgs.safeParse(held).data, stopUpdateArgs.safeParse(added).data];
  // Every route has a stop 1.
  if (!first || !second || routeScope(first.route) !== routeScope(second.route)) return undefined;
  const stop = mergeUpdates(first.stop, second.stop);
  const marks = deviceTimesOf(held).filter((name) => second.stop.updates?.[name] === undefined);
  return stop && withDeviceTimes({ route: first.route, stop }, [...marks, ...deviceTimesOf(added)]);
}

function isForgettable(item: QueueItem, now: number): boolean {
  const { progress } = item;
  if (progress.at === 'waiting' || isInReview(item)) return false;
  return now - progress.since > (progress.at === 'accepted' || isNotable(item) ? keepAcceptedMs : keepHostedMs);
}
