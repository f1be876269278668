import { routeScope, warehouseStop, type RouteKey } from '@tailgate/sync-protocol';
import type { PgBoss } from 'pg-boss';
import type { Queryable } from '../../db/types.ts';
import { Interval } from '../../runtime/interval.ts';
import type { Log } from '../../runtime/log.ts';
import { freshId } from '../../stops/mutation-id.ts';
import type { Change, Pipeline } from '../change.ts';
import { dueRoutes } from '../apply/sql.ts';
import { queues } from './wakeups.ts';

export interface ClosingOptions {
  readonly db: Queryable;
  readonly boss: Pick<PgBoss, 'work' | 'offWork'>;
  readonly submit: Pipeline['submit'];
  readonly clock: () => Date;
  readonly log: Log;
  /** What a lost alarm costs at most. */
  readonly sweepMs?: number;
}

const SWEEP_MS = 5_000;
/** A depot's evening; what is left over is due at the next sweep. */
const ROUTES_A_SWEEP = 500;

/** Closes routes whose timer runs out, on every node and after every restart; begins with what is overdue already. */
export async function startClosing(options: ClosingOptions): Promise<ClosingTimers> {
  const timers = new ClosingTimers(options);
  await timers.start();
  return timers;
}

/**
 * The deadlines stand in the routes' rows. A job is only the alarm clock (I8), and a sweep stands behind it: neither
 * knows which route it is about, and several nodes may ring at once. The close itself is a change like any other, in
 * the pipeline, under the route's lock (I1, I13).
 */
export class ClosingTimers {
  readonly #options: ClosingOptions;
  #job: string | undefined;
  readonly #sweep: Interval;

  constructor(options: ClosingOptions) {
    const { sweepMs = SWEEP_MS, log } = options;
    this.#options = options;
    this.#sweep = new Interval({
      work: () => closeDueRoutes(options),
      everyMs: sweepMs,
      onError: (err) => log.warn({ err }, 'due routes could not be closed: the next sweep tries again'),
    });
  }

  async start(): Promise<void> {
    const { boss } = this.#options;
    const many = { batchSize: 50, burstWhenBatchFull: true };
    this.#job = await boss.work(queues.close, many, () => closeDueRoutes(this.#options));
    this.#sweep.start();
    void this.#sweep.run();
  }

  async stop(): Promise<void> {
    const swept = this.#sweep.stop();
    if (this.#job !== undefined) await this.#options.boss.offWork(queues.close, { id: this.#job, wait: true });
    await swept;
  }
}

async function closeDueRoutes({ db, submit, clock, log }: ClosingOptions): Promise<void> {
  const now = clock();
  const { rows } = await db.query<RouteKey & { due_at: Date }>(dueRoutes, [now, ROUTES_A_SWEEP]);
  // Together: the pipeline makes a few commits of them.
  await Promise.all(
    rows.map(async ({ facility, id, week_end, due_at }) => {
      const route = { facility, id, week_end };
      const outcome = await submit(closeOf(route, due_at, now));
      if (outcome.result === 'quarantined')
        log.error({ route: routeScope(route), code: outcome.code }, 'a route that is due could not be closed');
    }),
  );
}

/**
 * Of several closes of one deadline the first closes and the others find nothing to do; the route's state says so. An id
 * that the deadline gave away would not: whoever knows it could send something else under it first.
 */
function closeOf(route: RouteKey, dueAt: Date, now: Date): Change {
  return {
    id: freshId(now),
    name: 'route.close',
    version: 1,
    args: { route, due_at: dueAt.toISOString() },
    route,
    stop: warehouseStop,
    actor: { kind: 'timer' },
    source: 'timer',
    paths: 'current',
    editTime: now,
    receivedAt: now,
    dedupeByContent: false,
  };
}
