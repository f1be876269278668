import type { Clock } from '../environment.ts';
import type { Durability, Store, StoreChange } from './store.ts';

const firstRetryMs = 250;
const lastRetryMs = 30_000;

interface Waiting {
  readonly changes: readonly StoreChange[];
  readonly durability: Durability;
  readonly done: () => void;
}

/**
 * All writes of a client, in the order in which they were asked for. What comes while a transaction runs shares the
 * next one, so a burst of taps costs two commits. A write that fails (quota, a storage that went away) is kept and
 * tried again with everything behind it: nothing that was recorded is dropped, and nothing overtakes.
 */
export class Journal {
  /** Told why an attempt has failed, and without a reason when writing works again. */
  onTrouble: (why?: string) => void = () => {};
  readonly #store: Store;
  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #closing = false;
  #wake: () => void = () => {};

  constructor(store: Store, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Resolves when the changes are committed as durably as asked. */
  commit(changes: readonly StoreChange[], durability: Durability = 'strict'): Promise<void> {
    if (changes.length === 0) return Promise.resolve();
    return new Promise((done) => {
      this.#waiting.push({ changes, durability, done });
      this.#running ??= this.#run();
    });
  }

  /** Waits for what was asked for; where storage fails it is tried once more, then left. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#wake();
    await this.#running;
    await this.#store.close();
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
        this.onTrouble(String(error));
        if (this.#closing) break;
        await this.#pause(Math.min(firstRetryMs * 2 ** failures++, lastRetryMs));
        continue;
      }
      if (failures > 0) this.onTrouble();
      failures = 0;
      for (const each of batch) each.done();
    }
    this.#running = undefined;
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
