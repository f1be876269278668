import type { Log } from './log.ts';

export interface SweepOptions {
  /** Drops what nobody needs any more; nodes may do it at once. */
  readonly work: () => Promise<void>;
  /** What could not be swept, as the subject of a sentence. */
  readonly what: string;
  readonly log: Log;
}

const sweepMs = 600_000;

/** Sweeps at the start, for what the process before us left, and every ten minutes. */
export class Sweep {
  readonly #options: SweepOptions;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(options: SweepOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#sweep(), sweepMs);
    this.#sweep();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#sweeping;
  }

  #sweep(): void {
    const { work, what, log } = this.#options;
    this.#sweeping ??= work()
      .catch((err: unknown) => log.warn({ err }, `${what} could not be swept: tried again later`))
      .finally(() => (this.#sweeping = undefined));
  }
}
