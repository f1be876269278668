import type { Environment } from '../platform/environment.ts';
import { base64url } from '../platform/environment.ts';
import type { Row, Store } from './store.ts';

/** In the table of settings. */
const reserveKey = 'reserve';
/** 128 KiB of text: some hundred changes with their seals. Chromium frees values of this size at once. */
const pieces = 16;
const pieceBytes = 6_144;
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
    // Noise: some platforms compress repetitive data.
    const value = Array.from({ length: pieces }, () => base64url(random.bytes(pieceBytes))).join('');
    this.#dueAt = clock.monotonic() + againMs;
    await this.#store.write([{ put: 'setting', key: reserveKey, value }], 'relaxed').then(
      () => (this.#isTaken = true),
      () => false,
    );
  }

  /** Frees the space; resolves with whether there was any. */
  async give(): Promise<boolean> {
    const { clock } = this.#environment;
    if (!this.#isTaken) return false;
    this.#isTaken = false;
    this.#dueAt = clock.monotonic() + againMs;
    return this.#store.write([{ delete: 'setting', key: reserveKey }], 'strict').then(
      () => true,
      () => false,
    );
  }
}
