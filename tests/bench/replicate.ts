import { randomUUID } from 'node:crypto';
import { PgBoss } from 'pg-boss';
import { migrate } from '../../server/src/db/migrate.ts';
import type { Queryable } from '../../server/src/db/types.ts';
import { createQueues } from '../../server/src/mutations/jobs/wakeups.ts';
import type { HostValue } from '../../server/src/host/files/columns.ts';
import type { Host } from '../../server/src/host/host.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { ReplicationWorker } from '../../server/src/replication/to-host/worker.ts';
import { fillBacklog, type BacklogSize } from '../support/backlog.ts';
import { hostLive, hostLiveFigures } from './host-live.ts';
import { atDistance } from './distant-host.ts';
import { median, openDeps, quietLog, type Deps } from './fixture.ts';
import type { Report } from './report.ts';

/** 200,000 mutations over 15,000 stops: the backlog of an outage of some hours. */
const BACKLOG: BacklogSize = { routes: 100, stops: 150, lines: 20, mutations: 13 };
const LIBRARY = 'PODDTA';
/** A Db2 in another building: each statement of a transaction waits for the one before. */
const ROUND_TRIP_MS = 1;

type Statement = { readonly sql: string; readonly parameters: readonly HostValue[] };
interface Drained {
  readonly seconds: number;
  readonly workerCpu: number;
  readonly postgresCpu: number;
}
interface DrainedAtDistance extends Drained {
  readonly trips: number;
}

/**
 * replicate: the speed of a backlog on its way to the host, beside the same MERGEs by one connection without the
 * worker, and with a made latency, beside one transaction for each stop. Also the latency of one change at 50/s out, and from the host to a phone (targets: 1 s and 5 s, p99).
 */
export async function replicate({ rounds }: { rounds: number }): Promise<Report> {
  const deps = await openDeps();
  try {
    await seed(deps);
    // The first run also records the statements of the worker.
    const written: Statement[][] = [];
    await drainByWorker(deps, written);
    const ours: Drained[] = [];
    const raw: Drained[] = [];
    for (let round = 0; round < rounds; round++) {
      ours.push(await drainByWorker(deps));
      raw.push(await replay(deps, written));
    }
    const distant = await drainAtDistance(deps, (host) => host);
    const stopByStop = await drainAtDistance(deps, (host) => ({ ...host, isAtomic: () => false }));
    const figures = [
      figure('worker', ours),
      figure('the same statements, one connection, no worker', raw),
      figureAtDistance('worker', distant),
      figureAtDistance('one transaction for each stop', stopByStop),
      ...hostLiveFigures(await hostLive(deps)),
    ];
    const seconds = (runs: readonly Drained[]) => median(runs.map((run) => run.seconds));
    return {
      title: `replicate: ${BACKLOG.routes * BACKLOG.stops} stops, ${mutations()} mutations, fsync on, median of ${rounds}`,
      figures,
      ratios: { 'of the raw limit': seconds(raw) / seconds(ours) },
    };
  } finally {
    await deps.close();
  }
}

const mutations = (): number => BACKLOG.routes * BACKLOG.stops * BACKLOG.mutations;

async function seed(deps: Deps): Promise<void> {
  const database = await deps.database('seed', 'template1');
  await migrate(database.url, quietLog);
  await withBoss(database.url, async () => undefined);
  const host = await openStandIn({ url: database.url, library: LIBRARY, log: quietLog });
  await fillBacklog(database.pool, host, BACKLOG);
  await host.close();
  await database.close();
}

function drainByWorker(deps: Deps, record?: Statement[][]): Promise<Drained> {
  return drainInto(deps, (host) => (record ? recording(host, record) : host));
}

async function drainAtDistance(deps: Deps, change: (host: Host) => Host): Promise<DrainedAtDistance> {
  let trips = () => 0;
  const drained = await drainInto(deps, (host) => {
    const distant = atDistance(change(host), ROUND_TRIP_MS);
    ({ trips } = distant);
    return distant.host;
  });
  return { ...drained, trips: trips() };
}

async function drainInto(deps: Deps, change: (host: Host) => Host): Promise<Drained> {
  const database = await deps.database('drain', 'seed');
  const host = await openStandIn({ url: database.url, library: LIBRARY, log: quietLog });
  try {
    return await withBoss(database.url, async (boss) => {
      const worker = new ReplicationWorker({
        db: database.pool,
        host: change(host),
        boss,
        importNow: () => Promise.reject(new Error('no other program writes here')),
        log: quietLog,
        clock: () => new Date(),
        random: Math.random,
        owner: randomUUID(),
      });
      const run = await measured(deps, async () => {
        await worker.start();
        await nothingBehind(database.pool);
      });
      await worker.stop();
      return run;
    });
  } finally {
    await host.close();
    await database.drop();
  }
}

async function replay(deps: Deps, written: readonly Statement[][]): Promise<Drained> {
  const database = await deps.database('replay', 'seed');
  const host = await openStandIn({ url: database.url, library: LIBRARY, log: quietLog, size: 1 });
  try {
    return await measured(deps, async () => {
      for (const statements of written)
        await host.transaction((tx) =>
          Promise.all(statements.map(({ sql, parameters }) => tx.execute(sql, parameters))),
        );
    });
  } finally {
    await host.close();
    await database.drop();
  }
}

/** The host, with a record of every writing statement. */
function recording(host: Host, record: Statement[][]): Host {
  return {
    ...host,
    transaction: (work) =>
      host.transaction((tx) => {
        const statements: Statement[] = [];
        record.push(statements);
        return work({
          query: (sql, parameters) => tx.query(sql, parameters),
          execute: (sql, parameters = []) => {
            statements.push({ sql, parameters });
            return tx.execute(sql, parameters);
          },
        });
      }),
  };
}

/** Polled fifty times a second: less than a thousandth of a run. */
async function nothingBehind(db: Queryable): Promise<void> {
  for (;;) {
    const { rowCount } = await db.query('select from route where behind limit 1');
    if (rowCount === 0) return;
    await db.query('select pg_sleep(0.02)');
  }
}

async function withBoss<Result>(connectionString: string, work: (boss: PgBoss) => Promise<Result>): Promise<Result> {
  const boss = new PgBoss({ connectionString, useListenNotify: true, supervise: false, schedule: false });
  boss.on('error', (error) => quietLog.error({ err: error }, 'pg-boss'));
  await boss.start();
  await createQueues(boss);
  try {
    return await work(boss);
  } finally {
    await boss.stop({ graceful: false });
  }
}

async function measured(deps: Deps, work: () => Promise<unknown>): Promise<Drained> {
  const [own, postgres] = [process.cpuUsage(), deps.postgresCpu()];
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(own);
  return { seconds, workerCpu: (user + system) / 1e6, postgresCpu: deps.postgresCpu() - postgres };
}

function figure(what: string, runs: readonly Drained[]): Report['figures'][number] {
  const middle = (value: (run: Drained) => number) => median(runs.map(value));
  const perThousand = (cpu: (run: Drained) => number) => ((middle(cpu) / mutations()) * 1000).toFixed(3);
  return {
    what,
    'mutations/s': Math.round(mutations() / middle(({ seconds }) => seconds)),
    'stops/s': Math.round((BACKLOG.routes * BACKLOG.stops) / middle(({ seconds }) => seconds)),
    'worker CPU s/1,000': perThousand(({ workerCpu }) => workerCpu),
    'PostgreSQL CPU s/1,000': perThousand(({ postgresCpu }) => postgresCpu),
  };
}

function figureAtDistance(what: string, run: DrainedAtDistance): Report['figures'][number] {
  const stops = BACKLOG.routes * BACKLOG.stops;
  return {
    ...figure(`${what}, ${ROUND_TRIP_MS} ms a round trip`, [run]),
    'round trips a stop': (run.trips / stops).toFixed(2),
  };
}
