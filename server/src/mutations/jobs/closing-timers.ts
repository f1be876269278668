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
  /** The longest delay after a lost alarm. */
  readonly sweepMs?: number;
  /** The most routes that a sweep closes. */
  readonly routesASweep?: number;
}

const SWEEP_MS = 5_000;
/** Enough for the evening of a depot. The next sweep closes the rest. */
const ROUTES_A_SWEEP = 500;
/** After a refused close; twice as long after each further one. */
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** Closes routes whose timer has expired, on every node and after every restart. It starts with overdue routes. */
export async function startClosing(options: ClosingOptions): Promise<ClosingTimers> {
  const timers = new ClosingTimers(options);
  await timers.start();
  return timers;
}

/**
 * The rows of the routes contain the deadlines. A job is only an alarm (I8), and a sweep covers lost alarms. Neither
 * names a route, and several nodes may run at once. The close itself is a change in the pipeline, under the route's
 * lock (I1, I13).
 */
export class ClosingTimers {
  readonly #options: ClosingOptions;
  #job: string | undefined;
  readonly #sweep: Interval;
  /** Scopes whose close is in progress: an alarm and the sweep may come together. */
  readonly #closing = new Set<string>();
  /** Routes whose close was refused, by scope. They must not keep the place of others. */
  readonly #pauses = new Map<string, { readonly ms: number; readonly until: number }>();

  constructor(options: ClosingOptions) {
    const { sweepMs = SWEEP_MS, log } = options;
    this.#options = options;
    this.#sweep = new Interval({
      work: () => this.#closeDueRoutes(),
      everyMs: sweepMs,
      onError: (err) => log.warn({ err }, 'due routes could not be closed: the next sweep tries again'),
    });
  }

  async start(): Promise<void> {
    const { boss } = this.#options;
    const many = { batchSize: 50, burstWhenBatchFull: true };
    this.#job = await boss.work(queues.close, many, () => this.#closeDueRoutes());
    this.#sweep.start();
    void this.#sweep.run();
  }

  async stop(): Promise<void> {
    const swept = this.#sweep.stop();
    if (this.#job !== undefined) await this.#options.boss.offWork(queues.close, { id: this.#job, wait: true });
    await swept;
  }

  async #closeDueRoutes(): Promise<void> {
    const { db, clock, routesASweep = ROUTES_A_SWEEP } = this.#options;
    const now = clock();
    const most = routesASweep + this.#pauses.size;
    const { rows } = await db.query<RouteKey & { due_at: Date }>(dueRoutes, [now, most]);
    const due = new Map(rows.map(({ due_at, ...route }) => [routeScope(route), closeOf(route, due_at, now)]));
    // These were closed by other means.
    if (rows.length < most) for (const scope of this.#pauses.keys()) if (!due.has(scope)) this.#pauses.delete(scope);
    const isFree = (scope: string): boolean =>
      !this.#closing.has(scope) && (this.#pauses.get(scope)?.until ?? 0) <= now.getTime();
    const next = [...due].filter(([scope]) => isFree(scope));
    // Concurrent submits share a few commits.
    await Promise.all(next.slice(0, routesASweep).map(([scope, change]) => this.#close(scope, change)));
  }

  async #close(scope: string, change: Change): Promise<void> {
    const { submit, clock, log } = this.#options;
    this.#closing.add(scope);
    const outcome = await submit(change).finally(() => this.#closing.delete(scope));
    if (outcome.result !== 'quarantined') return void this.#pauses.delete(scope);
    const ms = Math.min(2 * (this.#pauses.get(scope)?.ms ?? FIRST_PAUSE_MS / 2), LONGEST_PAUSE_MS);
    this.#pauses.set(scope, { ms, until: clock().getTime() + ms });
    log.error({ route: scope, code: outcome.code }, 'a route that is due could not be closed');
  }
}

/**
 * Several nodes may submit a close for one deadline. The first one closes the route and the others change nothing. The
 * id is random: a client that could compute it could use it first for another change.
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
