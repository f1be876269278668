import type { Queryable } from '../../db/types.ts';
import { Interval } from '../../runtime/interval.ts';
import type { Log } from '../../runtime/log.ts';
import { readBacklog } from './backlog.ts';
import type { Breaker } from '../control/breaker.ts';
import * as sql from './lag-samples-sql.ts';

const INTERVAL_MS = 60_000;

export interface LagSamplesOptions {
  readonly db: Queryable;
  readonly hostStatus: () => { readonly breaker: Breaker };
  readonly log: Log;
}

/** Samples the backlog of the host each minute. Several workers share the rows: each row keeps the highest values. */
export class LagSamples {
  readonly #options: LagSamplesOptions;
  readonly #samples: Interval;

  constructor(options: LagSamplesOptions) {
    this.#options = options;
    this.#samples = new Interval({
      work: () => this.#record(),
      everyMs: INTERVAL_MS,
      onError: (err) => options.log.warn({ err }, 'a worker could not sample the backlog; it tries again'),
    });
  }

  /** Resolves after the first sample. */
  async start(): Promise<void> {
    await this.#samples.run();
    this.#samples.start();
  }

  stop(): Promise<void> {
    return this.#samples.stop();
  }

  async #record(): Promise<void> {
    const { db, hostStatus } = this.#options;
    const { lagSeconds, routes, parked } = await readBacklog(db);
    const isAway = hostStatus().breaker.state === 'open';
    await db.query(sql.dropSamples);
    await db.query(sql.recordSample, [Math.round(lagSeconds), routes, parked, isAway]);
  }
}

/** The highest values of five minutes. */
export interface LagSample {
  readonly at: Date;
  readonly lag_seconds: number;
  readonly routes_behind: number;
  readonly parked: number;
  readonly host_away: boolean;
  readonly on_hold: boolean;
}

/** Samples of the last 24 hours, the oldest first. Five minutes without a worker have none. */
export async function listSamples(db: Queryable): Promise<LagSample[]> {
  const { rows } = await db.query<LagSample & Record<string, unknown>>(sql.listSamples);
  return rows;
}
