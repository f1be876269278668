import { PgBoss } from 'pg-boss';
import type { Mutation, RouteKey } from '@tailgate/sync-protocol';
import { codeBook } from '../../../server/src/codes/code-book.ts';
import type { Pipeline, Queue } from '../../../server/src/mutations/change.ts';
import { openPipeline, type PipelineOptions } from '../../../server/src/mutations/intake/pipeline.ts';
import { bossWakeups, createQueues } from '../../../server/src/mutations/jobs/wakeups.ts';
import type { CloseMode } from '../../../server/src/routes/closing.ts';
import { createPool } from '../../../server/src/db/pool.ts';
import { atFileEnd } from '../../support/file-end.ts';
import { insertRoutes, plan } from '../../support/mirror.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { createDatabase } from '../../support/postgres.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import type { TestQueue } from '../../support/sealing.ts';

const WEEK = '20261121';
export const route = (id: string): RouteKey => ({ facility: 'F01', id, week_end: WEEK });

/** A database with queues of pg-boss, and pipelines over it like those of nodes. */
export async function pipelineDeps() {
  const database = await createDatabase();
  const boss = new PgBoss({ connectionString: database.url, supervise: false, schedule: false, max: 2 });
  boss.on('error', () => undefined); // a test that cuts its connections awaits the error elsewhere
  await boss.start();
  await createQueues(boss);
  atFileEnd(() => boss.stop({ graceful: false }));
  const db = createPool({
    url: database.url,
    name: 'pipeline under test',
    log: recordedLog(),
    size: 6,
    pipelined: true,
  });
  atFileEnd(() => db.end());
  const open = (closeMode: CloseMode = 'legacy', more: Partial<PipelineOptions> = {}): Pipeline => {
    const rules = {
      codes: codeBook([
        { type: 'credit-reason', code: '10', stop_type: '' },
        { type: 'stop-exception', code: '12', stop_type: 'R' },
      ]),
      closeMode,
      timerMs: 600_000,
    };
    const pipeline = openPipeline({
      db,
      wakeups: bossWakeups(boss),
      rules: () => rules,
      clock: () => new Date(),
      log: recordedLog(),
      ...more,
    });
    atFileEnd(() => pipeline.close());
    return pipeline;
  };
  /** The first row of an answer; throws without one. */
  const one = async <Row extends object>(sql: string, values: unknown[] = []): Promise<Row> => {
    const { rows } = await database.pool.query<Row>(sql, values);
    if (!rows[0]) throw new Error(`no row: ${sql}`);
    return rows[0];
  };
  return { database, pool: database.pool, boss, open, one };
}

/** A route of a few stops and the warehouse, and its drivers. */
export async function addRoute(
  { pool }: Pick<TestDatabase, 'pool'>,
  id: string,
  drivers: readonly string[],
  stops = 3,
): Promise<RouteKey> {
  const plans = [...Array.from({ length: stops }, (_, n) => plan(n + 1)), plan(999, 0)];
  await insertRoutes(pool, [{ facility: 'F01', id, weekEnd: WEEK, drivers, stops: plans, emailFlag: true }]);
  return route(id);
}

/** Binds a queue to its employee, as the first hello does. */
export async function bindQueue(
  { pool }: Pick<TestDatabase, 'pool'>,
  queue: TestQueue,
  employee: string,
): Promise<Queue> {
  await pool.query(`insert into client (client_id, employee, device, queue_key_hash) values ($1, $2, 'test', '')`, [
    queue.clientId,
    employee,
  ]);
  return sessionOf(queue, employee);
}

/** A hello of a bound queue with a correct device clock. */
export function sessionOf(queue: Pick<TestQueue, 'clientId'>, employee: string): Queue {
  const now = Date.now();
  return {
    session: {},
    clientId: queue.clientId,
    employee,
    clock: { bootId: 'another', monotonicMs: 0, deviceNow: now, serverNow: now },
  };
}

export const delivered = (stop: number, comment?: string) => ({
  id: stop,
  updates: { status: 'D', ...(comment === undefined ? {} : { driver_comments: comment }) },
});

export const updateOf = (queue: TestQueue, key: RouteKey, stop: object, at?: Date): Mutation =>
  queue.seal('stop.update', { route: key, stop }, at);
