/** The longest wait of other work for drivers' changes. */
const MAX_WAIT_MS = 1_000;
/** After such a wait the work goes on for this time, even while changes wait: it progresses in any storm. */
const WORK_MS = 500;

/** The load of the process by drivers' changes. */
export interface DriversLoad {
  readonly isBusy: boolean;
  /** Resolves when it is not busy. */
  whenCalm(): Promise<void>;
}

export interface GiveWayOptions {
  readonly pipeline: DriversLoad;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Runs `work` once after `ms`. @returns a function that cancels it */
  readonly after?: (ms: number, work: () => void) => () => void;
}

/**
 * Drivers first: rows for the host and leaves of the log begin no transaction while changes wait for a batch of the same
 * process. A phone waits for its answer; this work waits for at most `MAX_WAIT_MS`.
 */
export class GiveWay {
  readonly #pipeline: GiveWayOptions['pipeline'];
  readonly #now: () => number;
  readonly #after: NonNullable<GiveWayOptions['after']>;
  #waiting: Promise<void> | undefined;
  /** By the clock of the options. */
  #worksUntil = -Infinity;

  constructor({ pipeline, now = () => performance.now(), after = runAfter }: GiveWayOptions) {
    this.#pipeline = pipeline;
    this.#now = now;
    this.#after = after;
  }

  /** Resolves when the work may begin a transaction. */
  turn(): Promise<void> {
    if (this.#waiting) return this.#waiting;
    if (!this.#pipeline.isBusy || this.#now() < this.#worksUntil) return Promise.resolve();
    this.#waiting = new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#waiting = undefined;
        resolve();
      };
      const cancel = this.#after(MAX_WAIT_MS, () => {
        this.#worksUntil = this.#now() + WORK_MS;
        end();
      });
      void this.#pipeline.whenCalm().then(end);
    });
    return this.#waiting;
  }
}

function runAfter(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}
