import type { SharedCounters } from '../db/shared-counters.ts';
import type { Queryable } from '../db/types.ts';
import type { Log } from '../log.ts';
import { dropCodes, dropSends } from './message-sql.ts';
import { dropOldFailures } from './proof-sql.ts';
import { failuresLastMs } from './rules.ts';

const dayMs = 24 * 3_600_000;
/** The budgets look back a day. Who was sent what and when is kept longer, for whoever asks about a bill or a break-in. */
const sendsLastMs = 90 * dayMs;
const sweepMs = 600_000;

export interface AuthSweepOptions {
  readonly db: Queryable;
  readonly counters: Pick<SharedCounters, 'sweep'>;
  readonly clock: () => Date;
  readonly log: Log;
}

/** Drops what no limit looks at any more. Any number of nodes at once. */
export async function sweepAuth({ db, counters, clock }: Omit<AuthSweepOptions, 'log'>): Promise<void> {
  const before = (ms: number): Date => new Date(clock().getTime() - ms);
  await db.query(dropOldFailures, [before(failuresLastMs)]);
  await db.query(dropCodes, [before(dayMs)]);
  await db.query(dropSends, [before(sendsLastMs)]);
  await counters.sweep();
}

/** Sweeps at the start and every ten minutes. */
export class AuthSweep {
  readonly #options: AuthSweepOptions;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(options: AuthSweepOptions) {
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
    this.#sweeping ??= sweepAuth(this.#options)
      .catch((err: unknown) => this.#options.log.warn({ err }, 'old counters could not be swept: tried again later'))
      .finally(() => (this.#sweeping = undefined));
  }
}
