import { contentText, linkText } from '@tailgate/sync-protocol';
import type { Environment } from '../platform/environment.ts';
import { base64url } from '../platform/environment.ts';
import type { Journal } from '../store/journal.ts';
import type { Read } from '../platform/reading.ts';
import { fields, flag, nullable, number, text } from '../platform/reading.ts';
import type { StoreChange } from '../store/store.ts';
import type { QueueItem } from './item.ts';
import { bytesOf, isAnswered, isWaiting, putItem } from './item.ts';

/** The stored form of a queue, without its items. */
export const isQueueHead = fields({
  client_id: text,
  employee: text,
  /** Forked: its waiting changes went on in another queue. */
  retired: flag,
  queue_key: nullable(text),
  /** The highest sequence that was ever sealed, and the link for its successor. */
  sealed_seq: number,
  sealed_link: nullable(text),
  /** The server's epoch at the last welcome. A different one means that the server may have lost items. */
  epoch: nullable(text),
});
export type QueueHead = Read<typeof isQueueHead>;

/** Sequences that neither the server nor this device has. */
export interface MissingRange {
  readonly from: number;
  readonly to: number;
}

/** One queue of one employee on this installation: items in the order of their sequences, sealed ones first. */
export class Queue {
  readonly head: QueueHead;
  /** In the order of sequences; `add` and `keep` change it. */
  items: QueueItem[] = [];
  /** Items without an answer from the server, in the same order. */
  readonly waiting = new Set<QueueItem>();
  /** Items that the server has answered and the back office cannot read yet, including those under review. */
  readonly answered = new Set<QueueItem>();
  /** The highest sequence of a damaged row; 0 without one. */
  reserved = 0;
  #sealing: Promise<void> = Promise.resolve();
  readonly #journal: Journal;
  readonly #sha256: Environment['sha256'];

  constructor(head: QueueHead, journal: Journal, sha256: Environment['sha256']) {
    this.head = head;
    this.#journal = journal;
    this.#sha256 = sha256;
  }

  get nextSeq(): number {
    return Math.max(this.items.at(-1)?.mutation.seq ?? 0, this.head.sealed_seq, this.reserved) + 1;
  }

  /** `captured_at` of the oldest waiting change; null without one. */
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

  /** Updates both sets by the item's present state. */
  count(item: QueueItem): void {
    this.waiting[isWaiting(item) ? 'add' : 'delete'](item);
    this.answered[isAnswered(item) ? 'add' : 'delete'](item);
  }

  /**
   * The next items for the server, sealed and stored; answered ones are left out. Empty where nothing waits. A fork in
   * the meantime takes its items along. While storage fails, stored items go out with a seal that exists only in
   * memory. After a kill, the same items get the same seals (docs/decisions/0087).
   *
   * @param most the maximum number of items
   * @param room the maximum size in bytes; a single item may exceed it
   */
  async takeBatch(from: number, max: number, room: number): Promise<QueueItem[]> {
    const batch: QueueItem[] = [];
    let left = room;
    for (const item of this.waiting) {
      if (item.mutation.seq < from) continue;
      left -= bytesOf(item.mutation) + linkBytes;
      if (batch.length > 0 && (left < 0 || batch.length === max)) break;
      if (item.undo === 'delayed' || this.#mustWait(item)) break;
      batch.push(item);
      // From here on it must not merge, although its hash takes a moment.
      if (item.form === 'open') item.form = 'frozen';
      item.undo = undefined;
    }
    await this.#seal(batch);
    const end = batch.findIndex((item) => this.#mustWait(item));
    return batch.slice(0, end < 0 ? undefined : end).filter((item) => item.client_id === this.head.client_id);
  }

  /** Its present content is not on the disk: after a kill, this id could have another content, or none. */
  #mustWait(item: QueueItem): boolean {
    return this.#journal.isFailing && item.saving !== undefined;
  }

  /**
   * Resolves when these items and all earlier ones are sealed, and stored if storage works. Calls run one after the
   * other. A broken connection and its successor may both call, and each link needs the previous one.
   */
  #seal(batch: readonly QueueItem[]): Promise<void> {
    // A failure rejects its own callers only, not the next ones.
    this.#sealing = this.#sealing
      .catch(() => {})
      .then(() => this.#sealNow(batch.filter((item) => item.form !== 'sealed')));
    return this.#sealing;
  }

  async #sealNow(unsealed: readonly QueueItem[]): Promise<void> {
    if (unsealed.length === 0) return;
    let { sealed_seq, sealed_link } = this.head;
    const sealed: QueueItem['mutation'][] = [];
    // Side by side; the links need each other.
    const hashes = await Promise.all(unsealed.map(({ mutation }) => this.#hash(contentText(mutation))));
    for (const [i, { mutation }] of unsealed.entries()) {
      sealed.push({ ...mutation, prev_hash: sealed_link });
      sealed_seq = mutation.seq;
      sealed_link = await this.#hash(linkText(hashes[i] ?? '', sealed_link, sealed_seq));
    }
    if (this.head.retired) return;
    // Same step as the commit: a change recorded meanwhile stores the head too, which must not get ahead of its items.
    for (const [i, item] of unsealed.entries()) Object.assign(item, { mutation: sealed[i], form: 'sealed' });
    Object.assign(this.head, { sealed_seq, sealed_link });
    await this.#journal.attempt([...unsealed.map(putItem), putQueue(this)]);
  }

  async #hash(input: string): Promise<string> {
    return base64url(await this.#sha256(input));
  }

  /** Returns items to waiting that the server had confirmed and has lost (protocol.md, The queue). */
  reopen(lastSeq: number): QueueItem[] {
    const reopened = this.items.filter((item) => item.mutation.seq > lastSeq && !isWaiting(item));
    for (const item of reopened) item.progress = { at: 'waiting' };
    this.keep(this.items);
    return reopened;
  }

  /** The range from `seq` on that was sealed once and no longer exists here. */
  missingAt(seq: number): MissingRange | undefined {
    const next = this.items.find((item) => item.mutation.seq >= seq)?.mutation.seq ?? this.nextSeq;
    return next > seq ? { from: seq, to: next - 1 } : undefined;
  }
}

/** Bytes for `prev_hash` and separators, which an unsealed item lacks. */
const linkBytes = 64;

/** Copies the head: the write may be delayed and must store the present values. */
export const putQueue = ({ head }: Pick<Queue, 'head'>): StoreChange => ({
  put: 'queue',
  key: head.client_id,
  value: { ...head },
});
