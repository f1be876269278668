import { randomUUID } from 'node:crypto';
import { routeScope, type RouteKey, type StopObjectInput } from '@tailgate/sync-protocol';
import { PgBoss } from 'pg-boss';
import { vi } from 'vitest';
import { codeBook } from '../../server/src/codes/code-book.ts';
import { startListener, type Listener } from '../../server/src/db/listen.ts';
import type { Change, Outcome, Pipeline } from '../../server/src/mutations/change.ts';
import { openPipeline } from '../../server/src/mutations/intake/pipeline.ts';
import { bossWakeups, createQueues } from '../../server/src/mutations/jobs/wakeups.ts';
import { hostMoment } from '../../server/src/host/files/local-time.ts';
import { closeInOffice, dispatchRoute } from '../../server/src/host/tools/dispatch.ts';
import type { LibraryMap } from '../../server/src/host/files/library-map.ts';
import type { Host, HostRow } from '../../server/src/host/host.ts';
import { parseRouteFile } from '../../server/src/host/tools/load-file.ts';
import { HostPolling } from '../../server/src/replication/from-host/host-polling.ts';
import { HostImport } from '../../server/src/replication/from-host/import.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { ReplicationWorker, type WorkerOptions } from '../../server/src/replication/to-host/worker.ts';
import { columnOf, isOnViews, tableOf } from './driven-host.ts';
import { atFileEnd } from './file-end.ts';
import { listed } from './open-waits.ts';
import type { TestDatabase } from './postgres.ts';
import { recordedLog } from './recorded-log.ts';
import { restChange } from './rest-change.ts';
import { createHost } from './stand-in.ts';

const WEEK = '20261128';
/** Chicago in November: six hours behind UTC. */
export const ZONE = 'America/Chicago';

/** Everything between a driver's change and the host's row, on real parts: pipeline, pg-boss, import, stand-in host. */
export interface Depot {
  readonly database: TestDatabase;
  /** The service's connection to the host. */
  readonly host: Host;
  readonly pipeline: Pipeline;
  readonly boss: PgBoss;
  readonly listener: Listener;
  readonly log: ReturnType<typeof recordedLog>;
  /** The time of pipeline and workers. */
  readonly clock: { now: Date };
  /** Dispatches a route on the host, also again, and imports it into the mirror. */
  addRoute(id: string, stops: readonly number[], ...drivers: string[]): Promise<RouteKey>;
  /** The same of a route that another system has driven and closed before the import. */
  addClosedRoute(id: string, stops: readonly number[]): Promise<RouteKey>;
  /** Imports all changes by other programs on the host; waits while a worker writes their routes. */
  importNow(): Promise<void>;
  /** The nightly run: compares everything with the host. */
  compareAll(): Promise<void>;
  /** A driver's change. */
  record(key: RouteKey, stop: StopObjectInput): Promise<Outcome>;
  /** A change on the host by another program or a clerk. */
  clerk(sql: string): Promise<void>;
  show(file: string, where?: string): Promise<HostRow[]>;
  fault(name: string, on: boolean, file?: string): Promise<void>;
  /** Counts each committed write of a stop's result from now on: the stops of a route, a number a write. */
  countWrites(): Promise<(route: string) => Promise<number[]>>;
  /** A worker that is not started; after its start it is stopped at the file's end. */
  worker(options?: Partial<WorkerOptions>): ReplicationWorker;
  /** Checks again at each notification until it is true. */
  waitUntil(isTrue: () => Promise<boolean>): Promise<void>;
  /** Resolves when the host has everything of this route that it does not refuse. */
  untilHosted(key: RouteKey): Promise<void>;
  /** Runs a worker until the host has everything. */
  replicateOnce(key: RouteKey): Promise<void>;
}

const DRIVER = '1001';

/** @param map as of `createHost` */
export async function openDepot(map?: LibraryMap): Promise<Depot> {
  const { host, clerk, database } = await createHost(map);
  const log = recordedLog();
  const clock = { now: new Date('2026-11-21T16:00:00.000Z') };
  const boss = new PgBoss({ connectionString: database.url, useListenNotify: true, supervise: false, schedule: false });
  // A connection that takes too long on a busy machine is made again; an unhandled error of pg-boss would end the
  // process.
  boss.on('error', (err) => log.warn({ err }, 'pg-boss has trouble with the database'));
  await boss.start();
  await createQueues(boss);
  const listener = await startListener({ url: database.url, log });
  const pipeline = openPipeline({
    db: database.pool,
    wakeups: bossWakeups(boss),
    rules: () => ({ codes: codeBook([]), closeMode: 'legacy', timerMs: 600_000 }),
    clock: () => clock.now,
    log,
  });
  const leases = new Leases({ db: database.pool, owner: randomUUID() });
  const hostImport = new HostImport({
    db: database.pool,
    host,
    leases,
    submit: (edit) => pipeline.submit(edit),
    clock: () => clock.now,
    log,
    pollSeconds: 3600,
    ...(isOnViews() && { changes: new HostPolling({ db: database.pool, host, clock: () => clock.now }) }),
  });
  const listeners = new Set<() => void>();
  const notify = (): void => {
    for (const notified of listeners) notified();
    listeners.clear();
  };
  await listener.onNotify('tailgate_routes', notify);
  // A broken session loses notifications.
  listener.onReconnect(notify);
  const untilNotified = async (isTrue: () => Promise<boolean>): Promise<void> => {
    for (;;) {
      // Taken before the check: an event during it counts for the next one.
      const notified = new Promise<void>((resolve) => listeners.add(resolve));
      if (await isTrue()) return;
      await notified;
    }
  };
  const workers: ReplicationWorker[] = [];
  atFileEnd(async () => {
    for (const worker of workers) await worker.stop();
    await hostImport.stop();
    await leases.close();
    await pipeline.close();
    await listener.stop();
    await boss.stop({ graceful: false });
  });
  await clerk.query(`insert into PODDTA.FACMSTP (FAFAC, FANAM, FATZ) values ('F01', 'Depot', '${ZONE}')`);
  await clerk.query(`insert into PODDTA.EMPMSTP (EMEMP, EMNAM, EMSTS) values ('${DRIVER}', 'Dana Driver', 'A')`);

  /** A pass leaves out a route that the worker writes at this moment. */
  const importAll = async (): Promise<void> =>
    void (await listed(vi.waitUntil(() => hostImport.importNow(), { timeout: 60_000, interval: 20 })));

  const dispatch = async (id: string, stops: readonly number[], drivers: readonly string[]): Promise<RouteKey> => {
    for (const route of parseRouteFile(routeFile(id, stops, drivers)))
      await dispatchRoute(clerk, route, { user: 'DISPATCH', now: clock.now });
    return { facility: 'F01', id, week_end: WEEK };
  };

  const depot: Depot = {
    database,
    host,
    pipeline,
    boss,
    listener,
    log,
    clock,
    addRoute: async (id, stops, ...drivers) => {
      const key = await dispatch(id, stops, drivers);
      await importAll();
      return key;
    },
    addClosedRoute: async (id, stops) => {
      const key = await dispatch(id, stops, []);
      await closeInOffice(clerk, id, hostMoment(clock.now, ZONE));
      await importAll();
      return key;
    },
    importNow: importAll,
    compareAll: async () => void (await hostImport.findDrift('everything')),
    record: (key, stop) => pipeline.submit(change(key, stop, clock.now)),
    clerk: async (sql) => void (await clerk.query(sql)),
    show: (file, where) =>
      clerk.query(`select * from PODDTA.${file}${where ? ` where ${where}` : ''} order by 1, 2, 3, 4, 5, 6, 7, 8`),
    fault: async (name, on, file = '') => {
      const statement = on
        ? `insert into PODDTA.standin_fault (fault, file) values ('${name}', '${file}')`
        : `delete from PODDTA.standin_fault where fault = '${name}' and file = '${file}'`;
      await database.pool.query(statement);
    },
    countWrites: async () => {
      const [table, ofRoute, ofStop] = [await tableOf('RTSTUP'), await columnOf('RURTE'), await columnOf('RUSTP')];
      await database.pool.query(`
        create table public.result_write (route text, stop int);
        create function public.note_write() returns trigger language plpgsql as $$ begin
          insert into public.result_write values (trim(new.${ofRoute}), new.${ofStop});
          perform pg_notify('host_commit', trim(new.${ofRoute}));
          return null;
        end $$;
        create trigger note_write after insert or update on ${table} for each row execute function public.note_write()`);
      return async (route) => {
        const statement = 'select stop from result_write where route = $1 order by stop';
        return (await database.pool.query<{ stop: number }>(statement, [route])).rows.map(({ stop }) => stop);
      };
    },
    worker: (options) => {
      const worker = new ReplicationWorker({
        db: database.pool,
        host,
        boss,
        importNow: (edits) => hostImport.importEdits(edits),
        log,
        clock: () => clock.now,
        random: Math.random,
        owner: randomUUID(),
        ...options,
      });
      workers.push(worker);
      return worker;
    },
    waitUntil: (isTrue) => listed(untilNotified(isTrue)),
    replicateOnce: async (key) => {
      const worker = depot.worker();
      await worker.start();
      await depot.untilHosted(key);
      await worker.stop();
    },
    untilHosted: (key) =>
      depot.waitUntil(async () => {
        const { rows } = await database.pool.query<{ behind: boolean }>(
          'select behind from route where facility = $1 and id = $2 and week_end = $3',
          [key.facility, key.id, key.week_end],
        );
        if (rows.length === 0) throw new Error(`there is no ${routeScope(key)}`);
        return rows[0]?.behind === false;
      }),
  };
  return depot;
}

/** A change as REST submits it. */
export const change = (route: RouteKey, stop: StopObjectInput, now: Date): Change =>
  restChange(route, stop, DRIVER, { editTime: now, receivedAt: now, dedupeByContent: false });

function routeFile(id: string, stops: readonly number[], drivers: readonly string[]): object {
  return {
    id,
    facility: 'F01',
    week_end: WEEK,
    name: `Route ${id}`,
    drivers: (drivers.length > 0 ? drivers : [DRIVER]).map((driver) => ({ id: driver, type: 'DRIVER' })),
    stops: stops.map((stop) => ({
      id: stop,
      type: stop === 999 ? 'warehouse' : 'delivery',
      customer: { id: `C${stop}`, name: `Market ${stop}` },
      products:
        stop === 999
          ? []
          : ['ITEM1', 'ITEM2', 'ITEM2'].map((item) => ({ id: item, invoice: `INV${stop}`, quantity: 5 })),
      collections: [],
    })),
  };
}
