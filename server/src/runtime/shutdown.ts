import type { Log } from './log.ts';

/** Started parts, to be closed in reverse order: later parts depend on earlier ones. */
export class Shutdown {
  /** Aborts when a stop is requested. */
  readonly stopping: AbortSignal;
  readonly #log: Log;
  readonly #parts: { name: string; close: () => Promise<unknown> }[] = [];

  constructor(log: Log, stopping: AbortSignal) {
    this.#log = log;
    this.stopping = stopping;
  }

  /** @throws after a request to stop: this part is closed like the others, and no more are started. */
  add(name: string, close: () => Promise<unknown>): void {
    this.#parts.push({ name, close });
    this.stopping.throwIfAborted();
  }

  /**
   * Closes everything, also after a part fails to close, which is logged. After all is closed, a second call does
   * nothing.
   */
  async run(): Promise<void> {
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      const { name, close } = part;
      await close().catch((err: unknown) => this.#log.error({ err, part: name }, 'could not be closed cleanly'));
    }
  }
}
