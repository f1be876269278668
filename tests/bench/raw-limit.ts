import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import { codeBook } from '../../server/src/codes/code-book.ts';
import type { Connection } from '../../server/src/db/types.ts';
import { openPipeline } from '../../server/src/mutations/intake/pipeline.ts';
import { bossWakeups, createQueues } from '../../server/src/mutations/jobs/wakeups.ts';
import type { Phone } from './fleet.ts';
import type { BenchDatabase, Deps } from './fixture.ts';
import { quietLog } from './fixture.ts';
import type { RecordedQuery } from './recorded.ts';
import { recordingDb } from './recorded.ts';

/*
 * The raw limit: the pipeline's statements for this work, recorded once and replayed by SQL alone. It is the upper
 * limit for any program that writes the same rows.
 */

/**
 * Drains phones through the pipeline, in pushes of `size` items, from the database `seed`. Returns the transactions.
 */
export async function recordPipeline(deps: Deps, fleet: readonly Phone[], size: number): Promise<RecordedQuery[][]> {
  const database = await boundCopy(deps, 'record', fleet);
  const db = recordingDb(database.pool);
  const boss = new PgBoss({ connectionString: database.url, supervise: false, schedule: false });
  boss.on('error', (error) => quietLog.error({ err: error }, 'pg-boss'));
  await boss.start();
  await createQueues(boss);
  const rules = {
    codes: codeBook([{ type: 'credit-reason', code: '10', stop_type: '' }]),
    closeMode: 'legacy',
    timerMs: 600_000,
  } as const;
  const pipeline = openPipeline({
    db,
    wakeups: bossWakeups(boss),
    rules: () => rules,
    clock: () => new Date(),
    log: quietLog,
  });
  const now = Date.now();
  const clock = { bootId: '', monotonicMs: 0, deviceNow: now, serverNow: now };
  await Promise.all(
    fleet.map(async ({ clientId, employee, items }) => {
      const queue = { session: {}, clientId, employee, clock };
      for (let i = 0; i < items.length; i += size) {
        await pipeline.waitForCapacity();
        await pipeline.push(queue, readItems(`[${items.slice(i, i + size).join(',')}]`));
      }
    }),
  );
  await pipeline.close();
  await boss.stop({ graceful: false });
  await database.drop();
  return db.transactions;
}

const readItems: (text: string) => unknown[] = JSON.parse;

/** Calls `measure` with a function that replays one recorded transaction on a fresh copy of the database. */
export async function replayOn<Result>(
  deps: Deps,
  fleet: readonly Phone[],
  measure: (run: (transaction: readonly RecordedQuery[]) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const database = await boundCopy(deps, 'replay', fleet);
  const idle: Connection[] = [await database.pool.connect(), await database.pool.connect()];
  const all = [...idle];
  try {
    return await measure(async (transaction) => {
      const client = idle.pop();
      if (!client) throw new Error('the raw limit uses two connections');
      // As the pipeline sends them: together, except the commit, which waits for their answers.
      await Promise.all(transaction.slice(0, -1).map(({ statement, values }) => client.query(statement, values)));
      await client.query('commit');
      idle.push(client);
    });
  } finally {
    for (const client of all) client.release();
    await database.drop();
  }
}

/** pg-boss creates its schema at its start. The replay needs it, too. */
async function boundCopy(deps: Deps, name: string, fleet: readonly Phone[]): Promise<BenchDatabase> {
  const database = await deps.database(name, 'seed');
  const boss = new PgBoss({ connectionString: database.url, supervise: false, schedule: false });
  await boss.start();
  await createQueues(boss);
  await boss.stop({ graceful: false });
  await bindClients(database.pool, fleet);
  return database;
}

async function bindClients(pool: pg.Pool, fleet: readonly Phone[]): Promise<void> {
  await pool.query(
    `insert into client (client_id, employee, device, queue_key_hash) select c, e, 'bench', '' from unnest($1::uuid[], $2::text[]) as k (c, e)`,
    [fleet.map(({ clientId }) => clientId), fleet.map(({ employee }) => employee)],
  );
}
