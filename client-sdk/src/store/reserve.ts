import type { Environment } from '../platform/environment.ts';
import { base64url } from '../platform/environment.ts';
import type { Row, Store } from './store.ts';

/** In the table of settings. */
const reserveKey = 'reserve';
/** 128 KiB of text: some hundred changes with their seals. Chromium frees values of this size at once. */
const pieces = 16;
const pieceBytes = 6_144;
/** How long after it was given, or could not be taken, the reserve is taken again; ms. */
const againMs = 600_000;

/** A row that holds room on the disk, for the work that a driver records when nothing else fits. */
export class Reserve {
  readonly #store: Store;
  readonly #environment: Pick<Environment, 'clock' | 'random'>;
  #isHeld: boolean;
  #dueAt = 0;

  /** @param settings as they were stored */
  constructor(store: Store, settings: readonly Row[], environment: Pick<Environment, 'clock' | 'random'>) {
    this.#store = store;
    this.#environment = environment;
    this.#isHeld = settings.some(({ key }) => key === reserveKey);
  }

  /** Takes the room where it is due. No room is no trouble: nothing of the driver's waits for it. */
  async take(): Promise<void> {
    const { clock, random } = this.#environment;
    if (this.#isHeld || clock.monotonic() < this.#dueAt) return;
    // Noise: some platforms store what repeats itself in less room.
    const value = Array.from({ length: pieces }, () => base64url(random.bytes(pieceBytes))).join('');
    this.#dueAt = clock.monotonic() + againMs;
    await this.#store.write([{ put: 'setting', key: reserveKey, value }], 'relaxed').then(
      () => (this.#isHeld = true),
      () => false,
    );
  }

  /** Frees the room; whether there was any. */
  async give(): Promise<boolean> {
    const { clock } = this.#environment;
    if (!this.#isHeld) return false;
    this.#isHeld = false;
    this.#dueAt = clock.monotonic() + againMs;
    return this.#store.write([{ delete: 'setting', key: reserveKey }], 'strict').then(
      () => true,
      () => false,
    );
  }
}
