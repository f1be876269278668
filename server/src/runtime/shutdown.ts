import type { Log } from './log.ts';

/** Parts that have been started, to be closed in reverse order: who came later leans on who came before. */
export class Shutdown {
  /** Aborted where a stop has been asked for. */
  readonly stopping: AbortSignal;
  readonly #log: Log;
  readonly #parts: { name: string; close: () => Promise<unknown> }[] = [];

  constructor(log: Log, stopping: AbortSignal) {
    this.#log = log;
    this.stopping = stopping;
  }

  /** @throws where a stop has been asked for meanwhile: this part is closed like the others, and no more are started. */
  add(name: string, close: () => Promise<unknown>): void {
    this.#parts.push({ name, close });
    this.stopping.throwIfAborted();
  }

  /** Closes everything, also where some part cannot: that is logged. Once all is closed, a second call does nothing. */
  async run(): Promise<void> {
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      const { name, close } = part;
      await close().catch((err: unknown) => this.#log.error({ err, part: name }, 'could not be closed cleanly'));
    }
  }
}
