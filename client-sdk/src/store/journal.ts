import type { Clock } from '../platform/environment.ts';
import type { Reserve } from './reserve.ts';
import type { Durability, Store, StoreChange } from './store.ts';

const firstRetryMs = 250;
const lastRetryMs = 30_000;

interface Waiting {
  readonly changes: readonly StoreChange[];
  readonly durability: Durability;
  /** Told once that the changes are stored, or before that that an attempt has failed. */
  readonly tried: (isStored: boolean) => void;
}

/**
 * All writes of a client, in the order in which they were asked for. What comes while a transaction runs shares the
 * next one, so a burst of taps costs two commits. A write that fails (quota, a storage that went away) is kept and
 * tried again with everything behind it: nothing that was recorded is dropped, and nothing overtakes. A full disk first
 * takes back the reserve, and then what `makeRoom` can spare.
 */
export class Journal {
  /** Told once why writing fails, and without a reason when writing works again. */
  onTrouble: (why?: string) => void = () => {};
  /** Frees what the device can spare; resolves with whether that was anything. */
  makeRoom: () => Promise<boolean> = () => Promise.resolve(false);
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #reserve: Reserve | undefined;
  /** Why the last attempt has failed. */
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

  /** The last attempt to write has failed, and none has succeeded since. */
  get isFailing(): boolean {
    return this.#trouble !== undefined;
  }

  /** Resolves when the changes are committed as durably as asked. */
  commit(changes: readonly StoreChange[], durability: Durability = 'strict'): Promise<void> {
    return new Promise((done) => this.#enter(changes, durability, (isStored) => isStored && done()));
  }

  /** As `commit`; resolves also as soon as writing fails. The changes are kept then, and written when they can be. */
  attempt(changes: readonly StoreChange[]): Promise<void> {
    return new Promise((done) => {
      this.#enter(changes, 'strict', () => done());
      if (this.isFailing) done();
    });
  }

  /** A write that waits for its next attempt is tried now. */
  retry(): void {
    this.#wake();
  }

  /** Waits for what was asked for; where storage fails it is tried once more, then left. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wake();
    await this.#running;
    await this.#store.close();
  }

  #enter(changes: readonly StoreChange[], durability: Durability, tried: Waiting['tried']): void {
    if (changes.length === 0) return tried(true);
    this.#waiting.push({ changes, durability, tried });
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // A turn of the queue lets what was asked for in the same breath share the transaction.
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
        if (await this.#findRoom()) continue;
        this.#show(String(error));
        for (const each of this.#waiting) each.tried(false);
        if (this.#closing) break;
        await this.#pause(Math.min(firstRetryMs * 2 ** failures++, lastRetryMs));
        continue;
      }
      failures = 0;
      this.#show(undefined);
      for (const each of batch) each.tried(true);
      if (this.#waiting.length === 0 && !this.#closing) await this.#reserve?.take();
    }
    this.#running = undefined;
  }

  /** The reserve first: a platform that has only closed its storage costs no file. */
  async #findRoom(): Promise<boolean> {
    return (await this.#reserve?.give()) || (await this.makeRoom().catch(() => false));
  }

  #show(trouble: string | undefined): void {
    const isNews = trouble !== this.#trouble;
    this.#trouble = trouble;
    if (isNews) this.onTrouble(trouble);
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
