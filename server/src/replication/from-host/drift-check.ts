import { routeScope } from '@tailgate/sync-protocol';
import { Interval } from '../../runtime/interval.ts';
import type { Log } from '../../runtime/log.ts';
import type { Drift } from './drift.ts';

export interface DriftCheckOptions {
  readonly findDrift: (scope: 'routes' | 'everything') => Promise<Drift>;
  readonly clock: () => Date;
  readonly log: Log;
  readonly everyMs?: number;
  /** The database was restored a moment ago: the host has changes that it lost, and no line reports them. */
  readonly isRestored?: boolean;
}

/** Routes every 15 minutes, everything nightly (architecture.md, How a batch runs). */
const EVERY_MS = 15 * 60_000;
const A_DAY_MS = 24 * 3_600_000;

/**
 * Compares the mirror with the host independently of the doorbell, which misses dropped triggers and restored rows. The
 * import compares the host-owned columns at its start.
 */
export class DriftCheck {
  readonly #options: DriftCheckOptions;
  readonly #checks: Interval;
  #wholeAt = 0;

  constructor(options: DriftCheckOptions) {
    const { everyMs = EVERY_MS, log } = options;
    this.#options = options;
    this.#checks = new Interval({
      work: () => this.#check(),
      everyMs,
      onError: (err) => log.warn({ err }, 'the drift check failed; the next check tries again'),
    });
  }

  start(): void {
    this.#wholeAt = this.#options.clock().getTime();
    this.#checks.start();
    if (this.#options.isRestored) void this.#checks.run();
  }

  async stop(): Promise<void> {
    await this.#checks.stop();
  }

  async #check(): Promise<void> {
    const { findDrift, clock, log } = this.#options;
    const now = clock().getTime();
    const whole = now - this.#wholeAt >= A_DAY_MS;
    const { isBegun, routes, masters, plans, results } = await findDrift(whole ? 'everything' : 'routes');
    // Another node imported at this moment: the next check is a whole one again.
    if (!isBegun) return;
    if (whole) this.#wholeAt = now;
    const found = { routes, masters, plans: plans.map(routeScope), results: results.map(routeScope) };
    if (masters.length + plans.length + results.length > 0)
      log.warn(found, 'the drift check imported changes of the host without a doorbell line');
    else log.debug(found, 'mirror and host agree');
  }
}
