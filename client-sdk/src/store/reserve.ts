import type { Environment } from '../platform/environment.ts';
import type { Durability, Row, Store, StoreChange } from './store.ts';

/** In the table of settings. */
const reserveKey = 'reserve';
/**
 * 128 KiB of text: some hundred changes with their seals. Chromium frees values of this size at once. The second half
 * repeats the first: 64 KiB away, where Snappy does not look.
 */
const pieces = 8;
const pieceBytes = 8_192;

/** The interval between two attempts to take the reserve; ms. */
const againMs = 600_000;

/** A row that reserves space on the disk, for changes that a driver records when the disk is full. */
export class Reserve {
  readonly #store: Store;
  readonly #environment: Pick<Environment, 'clock' | 'random'>;
  #isTaken: boolean;
  #dueAt = 0;

  /** @param settings the stored setting rows */
  constructor(store: Store, settings: readonly Row[], environment: Pick<Environment, 'clock' | 'random'>) {
    this.#store = store;
    this.#environment = environment;
    this.#isTaken = settings.some(({ key }) => key === reserveKey);
  }

  /** Takes the space when it is due. A failure is harmless: no change of the driver waits for it. */
  async take(): Promise<void> {
    const { clock, random } = this.#environment;
    if (this.#isTaken || clock.monotonic() < this.#dueAt) return;
    const value = Array.from({ length: pieces }, () => noise(random.bytes(pieceBytes)))
      .join('')
      .repeat(2);
    this.#isTaken = await this.#write({ put: 'setting', key: reserveKey, value }, 'relaxed');
  }

  /** Frees the space; resolves with whether there was any. */
  async give(): Promise<boolean> {
    if (!this.#isTaken) return false;
    this.#isTaken = false;
    return this.#write({ delete: 'setting', key: reserveKey }, 'strict');
  }

  /** Resolves with whether the row was written. */
  #write(change: StoreChange, durability: Durability): Promise<boolean> {
    this.#dueAt = this.#environment.clock.monotonic() + againMs;
    return this.#store.write([change], durability).then(
      () => true,
      () => false,
    );
  }
}

/**
 * Text that no platform compresses: of 32 characters from "]" on, which JSON leaves unchanged. One after the other, which takes
 * a third of the time of all in one call.
 */
function noise(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(93 + (byte & 31));
  return text;
}
