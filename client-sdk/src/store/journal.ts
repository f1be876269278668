import type { Clock } from '../platform/environment.ts';
import type { Reserve } from './reserve.ts';
import type { Durability, Store, StoreChange } from './store.ts';

/** The wait after that many failures in a row; ms. */
export const retryMs = (failures: number): number => Math.min(250 * 2 ** failures, 30_000);

interface Waiting {
  readonly changes: readonly StoreChange[];
  readonly durability: Durability;
  /** Called with true once the changes are stored, and with false after each failed attempt before that. */
  readonly tried: (isStored: boolean) => void;
}

/**
 * All writes of a client, in order. Changes that arrive during a transaction share the next one, so a burst of taps
 * costs two commits. A failed write (quota, lost storage) is buffered and tried again together with all later ones. So
 * no recorded change is dropped, and none overtakes another. On a full disk the journal first frees the reserve, and
 * then calls `makeRoom`.
 */
export class Journal {
  /** Called with the reason when writing begins to fail, and without one when writing works again. */
  onTrouble: (why?: string) => void = () => {};
  /** Deletes files that the device does not need; resolves with true if it freed space. */
  makeRoom: () => Promise<boolean> = () => Promise.resolve(false);
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #reserve: Reserve | undefined;
  /** The reason of the last failure. */
  #trouble: string | undefined;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #closing = false;
  #wake: () => void = () => {};

  constructor(store: Store, clock: Clock, reserve?: Reserve) {
    this.#store = store;
    this.#clock = clock;
    this.#reserve = reserve;
  }

  /** True after a failed write, until a write succeeds. */
  get isFailing(): boolean {
    return this.#trouble !== undefined;
  }

  /** Resolves when the changes are committed with this durability. */
  commit(changes: readonly StoreChange[], durability: Durability = 'strict'): Promise<void> {
    return new Promise((done) => this.#enqueue(changes, durability, (isStored) => isStored && done()));
  }

  /**
   * Like `commit`, but also resolves as soon as writing fails. The changes stay buffered then, and are written later.
   */
  attempt(changes: readonly StoreChange[]): Promise<void> {
    return new Promise((done) => {
      this.#enqueue(changes, 'strict', () => done());
      if (this.isFailing) done();
    });
  }

  /** Retries a failed write now. */
  retry(): void {
    this.#wake();
  }

  /** Waits for the pending writes, and takes no more. If storage fails, tries once more and then closes. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wake();
    await this.#running;
    await this.#store.close();
  }

  #enqueue(changes: readonly StoreChange[], durability: Durability, tried: Waiting['tried']): void {
    if (changes.length === 0) return tried(true);
    // Another client may write to the store from now on.
    if (this.#closing) return tried(false);
    this.#waiting.push({ changes, durability, tried });
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Deferred, so that changes of the same step share the transaction.
    await Promise.resolve();
    for (let failures = 0; this.#waiting.length > 0;) {
      const batch = this.#waiting;
      this.#waiting = [];
      const durability = batch.some((each) => each.durability === 'strict') ? 'strict' : 'relaxed';
      try {
        await this.#store.write(
          batch.flatMap((each) => each.changes),
          durability,
        );
      } catch (error) {
        this.#waiting = [...batch, ...this.#waiting];
        if (await this.#freeSpace()) continue;
        this.#setTrouble(String(error));
        for (const each of this.#waiting) each.tried(false);
        if (this.#closing) break;
        await this.#pause(retryMs(failures++));
        continue;
      }
      failures = 0;
      this.#setTrouble(undefined);
      for (const each of batch) each.tried(true);
      if (this.#waiting.length === 0 && !this.#closing) await this.#reserve?.take();
    }
    this.#running = undefined;
  }

  /** Frees the reserve before any file: if the platform has merely closed its storage, no file is deleted. */
  async #freeSpace(): Promise<boolean> {
    return (await this.#reserve?.give()) || (await this.makeRoom().catch(() => false));
  }

  #setTrouble(trouble: string | undefined): void {
    const hasChanged = trouble !== this.#trouble;
    this.#trouble = trouble;
    if (hasChanged) this.onTrouble(trouble);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }
}
