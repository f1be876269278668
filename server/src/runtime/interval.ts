import type { Log } from './log.ts';
import type { Shutdown } from './shutdown.ts';

export interface IntervalOptions {
  readonly work: () => Promise<void>;
  readonly everyMs: number;
  /** Receives what `work` throws; the next run comes as usual. */
  readonly onError: (error: unknown) => void;
}

/** Runs work at intervals and never twice at a time: a run that takes longer than the interval replaces the next one. */
export class Interval {
  readonly #options: IntervalOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(options: IntervalOptions) {
    this.#options = options;
  }

  /** The first run comes after one interval. */
  start(): void {
    this.#timer ??= setInterval(() => void this.run(), this.#options.everyMs);
  }

  /** Runs now, or joins the run that is in progress. Never rejects. */
  run(): Promise<void> {
    const { work, onError } = this.#options;
    this.#running ??= work()
      .catch(onError)
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** Resolves after the run that is in progress. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#running;
  }
}

const SWEEP_MS = 600_000;

/** Sweeps now, for the rows of an earlier process, and every ten minutes. Several nodes may sweep at once. */
export function startSweep(work: () => Promise<void>, what: string, log: Log): Interval {
  const onError = (err: unknown): void => log.warn({ err }, `${what} could not be swept: tried again later`);
  const sweep = new Interval({ work, everyMs: SWEEP_MS, onError });
  sweep.start();
  void sweep.run();
  return sweep;
}

/** Sweeps until the process stops. */
export function keepSweeping(
  { log, shutdown }: { readonly log: Log; readonly shutdown: Shutdown },
  what: string,
  work: () => Promise<void>,
): void {
  const sweep = startSweep(work, what, log);
  shutdown.add(`sweep of ${what}`, () => sweep.stop());
}
