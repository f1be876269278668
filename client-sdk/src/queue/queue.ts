import type { Environment } from '../platform/environment.ts';
import type { Journal } from '../store/journal.ts';
import type { Read } from '../platform/reading.ts';
import { fields, flag, nullable, number, text } from '../platform/reading.ts';
import type { StoreChange } from '../store/store.ts';
import type { QueueItem } from './item.ts';
import { bytesOf, isAnswered, isWaiting, putItem } from './item.ts';
import { seal } from './seal.ts';

/** What a queue is, beside its items. */
export const isQueueHead = fields({
  client_id: text,
  employee: text,
  /** Forked: what waited went on in another queue. */
  retired: flag,
  queue_key: nullable(text),
  /** The last sequence that was ever sealed, and the link that its successor carries. */
  sealed_seq: number,
  sealed_link: nullable(text),
  /** The server's epoch at the last welcome: another one means that the server may have lost what it had. */
  epoch: nullable(text),
});
export type QueueHead = Read<typeof isQueueHead>;

/** What the server lacks and this device no longer has. */
export interface Gone {
  readonly from: number;
  readonly to: number;
}

/** One queue of one employee on this installation: items in the order of their sequences, sealed ones first. */
export class Queue {
  readonly head: QueueHead;
  /** In the order of sequences; changed by `add` and `keep`. */
  items: QueueItem[] = [];
  /** Those of them that the server has not answered, in the same order. */
  readonly waiting = new Set<QueueItem>();
  /** Those that it has answered and the back office cannot read yet; what is under review among them. */
  readonly answered = new Set<QueueItem>();
  #sealing: Promise<void> = Promise.resolve();
  readonly #journal: Journal;
  readonly #sha256: Environment['sha256'];

  constructor(head: QueueHead, journal: Journal, sha256: Environment['sha256']) {
    this.head = head;
    this.#journal = journal;
    this.#sha256 = sha256;
  }

  get nextSeq(): number {
    return Math.max(this.items.at(-1)?.mutation.seq ?? 0, this.head.sealed_seq) + 1;
  }

  /** When the oldest change that waits was recorded, as its mutation says; null where none does. */
  get oldest(): string | null {
    return this.waiting.values().next().value?.mutation.captured_at ?? null;
  }

  add(item: QueueItem): void {
    this.items.push(item);
    this.count(item);
  }

  keep(items: QueueItem[]): void {
    this.items = items;
    this.waiting.clear();
    this.answered.clear();
    for (const item of items) this.count(item);
  }

  /** Counts an item as what it is by now. */
  count(item: QueueItem): void {
    this.waiting[isWaiting(item) ? 'add' : 'delete'](item);
    this.answered[isAnswered(item) ? 'add' : 'delete'](item);
  }

  /**
   * The next items to hand to the server, sealed and stored as such. What the server has answered is left out.
   * Empty where nothing waits; a fork meanwhile takes its items along. While storage fails, what is on the disk goes with a
   * seal that is in memory alone: after a kill the same items get the same seals (docs/decisions/0087).
   *
   * @param most items
   * @param room in bytes; one item is taken whatever its size
   */
  async takeBatch(from: number, most: number, room: number): Promise<QueueItem[]> {
    const batch: QueueItem[] = [];
    let left = room;
    for (const item of this.waiting) {
      if (item.mutation.seq < from) continue;
      left -= bytesOf(item.mutation) + linkBytes;
      if (batch.length > 0 && (left < 0 || batch.length === most)) break;
      if (item.undo === 'held' || this.#mustWait(item)) break;
      batch.push(item);
      // From here on it may not merge, though its hash takes a moment.
      if (item.form === 'open') item.form = 'frozen';
      item.undo = undefined;
    }
    await this.#seal(batch);
    const end = batch.findIndex((item) => this.#mustWait(item));
    return batch.slice(0, end < 0 ? undefined : end).filter((item) => item.client_id === this.head.client_id);
  }

  /** Its content is not on the disk as it is: a kill could leave another content there, or none, under this id. */
  #mustWait(item: QueueItem): boolean {
    return this.#journal.isFailing && item.saving !== undefined;
  }

  /**
   * Resolves when the items, and all before them, are sealed, on the disk where it can be written. One after the other,
   * whoever asks: a connection that has just died and the next one may both be at it, and each link needs the one before.
   */
  #seal(batch: readonly QueueItem[]): Promise<void> {
    // A failure is told to those who asked for it, not to the next ones.
    this.#sealing = this.#sealing
      .catch(() => {})
      .then(() => this.#sealNow(batch.filter((item) => item.form !== 'sealed')));
    return this.#sealing;
  }

  async #sealNow(unsealed: readonly QueueItem[]): Promise<void> {
    if (unsealed.length === 0) return;
    let { sealed_seq, sealed_link } = this.head;
    const sealed: QueueItem['mutation'][] = [];
    for (const item of unsealed) {
      const { mutation, link } = await seal(item.mutation, sealed_link, this.#sha256);
      sealed_seq = mutation.seq;
      sealed_link = link;
      sealed.push(mutation);
    }
    if (this.head.retired) return;
    // In one breath with the commit: what is recorded meanwhile stores the head, too, and must not outrun its items.
    for (const [i, item] of unsealed.entries()) Object.assign(item, { mutation: sealed[i], form: 'sealed' });
    Object.assign(this.head, { sealed_seq, sealed_link });
    await this.#journal.attempt([...unsealed.map(putItem), putQueue(this)]);
  }

  /** What the server does not have, though it said so once, counts as waiting again (protocol.md, The queue). */
  reopen(lastSeq: number): QueueItem[] {
    const reopened = this.items.filter((item) => item.mutation.seq > lastSeq && !isWaiting(item));
    for (const item of reopened) item.progress = { at: 'waiting' };
    this.keep(this.items);
    return reopened;
  }

  /** The stretch from `seq` on that was sealed once and is no longer here. */
  missingAt(seq: number): Gone | undefined {
    const next = this.items.find((item) => item.mutation.seq >= seq)?.mutation.seq ?? this.nextSeq;
    return next > seq ? { from: seq, to: next - 1 } : undefined;
  }
}

/** Room for `prev_hash` and separators, which an unsealed item lacks. */
const linkBytes = 64;

/** A copy: the write may have to wait, and says what is so now. */
export const putQueue = ({ head }: Queue): StoreChange => ({ put: 'queue', key: head.client_id, value: { ...head } });
