/** The longest wait of the host's rows for drivers' changes. */
const MAX_WAIT_MS = 1_000;
/** After such a wait the worker begins routes for this time, even while changes wait: rows progress in any storm. */
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
 * Drivers first: the worker of a process begins no route while changes wait for a batch of the same process. A phone
 * waits for its answer; the host's rows wait for at most `MAX_WAIT_MS`.
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

  /** Resolves when the worker may begin a route. */
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
