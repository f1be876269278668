import { randomUUID } from 'node:crypto';
import { PgBoss } from 'pg-boss';
import { migrate } from '../../server/src/db/migrate.ts';
import type { Queryable } from '../../server/src/db/types.ts';
import type { Log } from '../../server/src/runtime/log.ts';
import { createQueues } from '../../server/src/mutations/jobs/wakeups.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { ReplicationWorker } from '../../server/src/replication/to-host/worker.ts';
import { openDeps, type BenchDatabase } from '../bench/fixture.ts';
import { fillBacklog, type BacklogSize } from '../support/backlog.ts';

export interface HostDeps {
  readonly database: BenchDatabase;
  readonly boss: PgBoss;
  readonly log: Log;
  /** A running worker that probes an unreachable host `haste` times as often as in production. */
  startWorker(haste: number): Promise<ReplicationWorker>;
  close(): Promise<void>;
}

/** A durable PostgreSQL with mirror, stand-in host and pg-boss. `size` sets its routes, stops and backlog. */
export async function openHostDeps(size: BacklogSize): Promise<HostDeps> {
  const deps = await openDeps();
  const database = await deps.database('soak', 'template1');
  const counts = new Map<string, number>();
  const count = (_fields: object, message: string) => void counts.set(message, (counts.get(message) ?? 0) + 1);
  const log: Log = { debug: () => undefined, info: () => undefined, warn: count, error: count };
  await migrate(database.url, log);
  const host = await openStandIn({ url: database.url, library: 'PODDTA', log });
  await fillBacklog(database.pool, host, size);
  const boss = new PgBoss({ connectionString: database.url, useListenNotify: true, supervise: false, schedule: false });
  boss.on('error', (err) => log.warn({ err }, 'pg-boss has trouble with the database'));
  await boss.start();
  await createQueues(boss);
  const workers: ReplicationWorker[] = [];
  return {
    database,
    boss,
    log,
    startWorker: async (haste) => {
      const worker = new ReplicationWorker({
        db: database.pool,
        host,
        boss,
        importNow: () => Promise.reject(new Error('no other program writes here')),
        log,
        clock: () => new Date(),
        random: () => Math.random() / haste,
        owner: randomUUID(),
      });
      workers.push(worker);
      await worker.start();
      return worker;
    },
    close: async () => {
      for (const worker of workers) await worker.stop();
      await boss.stop({ graceful: false });
      await host.close();
      for (const [message, times] of counts) console.log(`  logged ${times} times: ${message}`);
      await database.close();
      await deps.close();
    },
  };
}

/** Waits until the host has everything. @returns seconds */
export async function drained(db: Queryable): Promise<number> {
  const start = performance.now();
  for (;;) {
    const { rowCount } = await db.query('select from route where behind limit 1');
    if (rowCount === 0) return (performance.now() - start) / 1_000;
    await db.query('select pg_sleep(0.05)');
  }
}

/** Checks the state after the drain and prints its findings. @returns what is wrong; empty if all is well */
export async function isAllOnHost(db: Queryable, stops: number): Promise<boolean> {
  // The statistics show empty tables: without `analyze`, PostgreSQL would join row by row.
  await db.query('analyze');
  const { rows } = await db.query<{ name: string; found: number; wanted: number }>(
    `select name, found::int, wanted::int from (
       select 'stops on the host as the mirror has them' as name, count(*) filter (where u.RUSTS = s.status
                and u.RURPSQ = 10000000000 + s.version and trim(u.RUCMT) = s.doc::json -> 'updates' ->> 'driver_comments') as found,
              $1::bigint as wanted
         from stop_result s join PODDTA.RTSTUP u on u.RUFAC = s.facility and trim(u.RURTE) = s.route_id and u.RUSTP = s.stop_id
       union all select 'stops with their status in RTSTPP', count(*), $1::bigint from PODDTA.RTSTPP where RSSTS = 'D'
       union all select 'lines on the host with the count of the mirror', count(*) filter (where q.RQDLV = (l.value ->> 'delivered')::numeric), count(*)
         from stop_result s cross join json_each(s.doc::json -> 'products') l
         left join PODDTA.RTPRUP q on q.RQFAC = s.facility and trim(q.RQRTE) = s.route_id and q.RQSTP = s.stop_id
              and trim(q.RQITM) = l.value ->> 'id' and trim(q.RQINV) = l.value ->> 'invoice'
       union all select 'parked', count(*), 0 from parked
       union all select 'incidents', count(*), 0 from incident
     ) as looks`,
    [stops],
  );
  for (const { name, found, wanted } of rows)
    console.log(`  ${found === wanted ? '' : 'WRONG: '}${name}: ${found} of ${wanted}`);
  return rows.every(({ found, wanted }) => found === wanted);
}
