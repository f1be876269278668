import { Gauge, type Registry } from 'prom-client';
import type { Queryable } from '../db/types.ts';
import type { Log } from '../runtime/log.ts';
import { SingleFlight, within } from '../runtime/single-flight.ts';
import { readBacklog } from '../replication/to-host/backlog.ts';
import { findLiveWorker } from '../replication/control/heartbeat.ts';
import type { HostStatus } from '../replication/to-host/worker.ts';
import { countOpenQuarantine, readPhonesAndSize } from './sql.ts';

/** Prometheus waits ten seconds as a rule. */
const PATIENCE_MS = 4_000;

interface MirrorFigures {
  readonly lagSeconds: number;
  readonly routes: number;
  readonly versions: number;
  readonly rows: number;
  readonly parked: number;
  readonly quarantine: number;
  readonly workers: number;
  readonly phoneChanges: number;
  readonly phones: number;
  readonly oldestOnPhone: number;
  readonly databaseBytes: number;
}

const mirrorGauges: { readonly [Figure in keyof MirrorFigures]: { readonly name: string; readonly help: string } } = {
  lagSeconds: { name: 'tailgate_host_lag_seconds', help: 'Age of the oldest change that is not on the host' },
  routes: { name: 'tailgate_host_backlog_routes', help: 'Routes with changes that are not on the host' },
  versions: { name: 'tailgate_host_backlog_versions', help: 'Versions of routes that are not on the host' },
  rows: {
    name: 'tailgate_host_backlog_rows',
    help: 'Users, sign-ins, load reports and files whose current state is not on the host',
  },
  parked: { name: 'tailgate_parked', help: 'Rows that the host rejects, except skipped ones' },
  quarantine: { name: 'tailgate_quarantine_open', help: 'Unsettled changes in quarantine' },
  workers: { name: 'tailgate_worker_alive', help: '1 while any process of any node replicates' },
  phoneChanges: {
    name: 'tailgate_phone_changes_pending',
    help: 'Changes that phones have reported and not delivered',
  },
  phones: { name: 'tailgate_phones_pending', help: 'Queues of phones with such changes' },
  oldestOnPhone: { name: 'tailgate_phone_oldest_seconds', help: 'Age of the oldest such change' },
  databaseBytes: { name: 'tailgate_database_bytes', help: 'Size of the database in PostgreSQL' },
};

/**
 * Figures from PostgreSQL, read at each scrape. They describe the installation: every node reports the same. If
 * PostgreSQL does not answer, they are left out, since 0 would be a false value.
 */
export function watchMirror(registry: Registry, { db, log }: { readonly db: Queryable; readonly log: Log }): void {
  const question = new SingleFlight<MirrorFigures | undefined>();
  const read = () =>
    question.ask(() =>
      within(PATIENCE_MS, 'PostgreSQL', readMirror(db)).catch((err: unknown) => {
        log.warn({ err }, 'figures could not be read from PostgreSQL');
        return undefined;
      }),
    );
  registry.registerMetric(
    new Gauge({
      name: 'tailgate_database_up',
      help: '1 while PostgreSQL answers this node',
      registers: [],
      async collect() {
        this.set((await read()) ? 1 : 0);
      },
    }),
  );
  for (const figure of figuresOf(mirrorGauges))
    registry.registerMetric(
      new Gauge({
        ...mirrorGauges[figure],
        registers: [],
        async collect() {
          const mirror = await read();
          if (mirror) this.set(mirror[figure]);
          else this.remove();
        },
      }),
    );
}

async function readMirror(db: Queryable): Promise<MirrorFigures> {
  const [backlog, quarantine, held, workers] = await Promise.all([
    readBacklog(db),
    db.query<{ open: number }>(countOpenQuarantine),
    db.query<{ changes: number; phones: number; oldest: number; bytes: number }>(readPhonesAndSize),
    findLiveWorker(db).then(
      () => 1,
      () => 0,
    ),
  ]);
  const { changes = 0, phones = 0, oldest = 0, bytes = 0 } = held.rows[0] ?? {};
  return {
    ...backlog,
    quarantine: quarantine.rows[0]?.open ?? 0,
    workers,
    phoneChanges: changes,
    phones,
    oldestOnPhone: Math.max(0, oldest),
    databaseBytes: bytes,
  };
}

function figuresOf<Key extends string>(table: { readonly [Name in Key]: unknown }): Key[] {
  return Object.keys(table).filter((name): name is Key => name in table);
}

/** The counts of a pool of connections; `pg.Pool`'s own names. */
export interface CountedPool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

/** @returns adds a pool, under one of few names */
export function watchPools(registry: Registry): (name: string, pool: CountedPool) => void {
  const pools = new Map<string, CountedPool>();
  const gauge = (name: string, help: string, countOf: (pool: CountedPool) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers: [registry],
      collect() {
        for (const [pool, counts] of pools) this.set({ pool }, countOf(counts));
      },
    });
  gauge('tailgate_pool_busy', 'Database connections in use', (pool) => pool.totalCount - pool.idleCount);
  gauge('tailgate_pool_waiting', 'Requests that wait for a database connection', (pool) => pool.waitingCount);
  return (name, pool) => void pools.set(name, pool);
}

/** The host's state on a node that replicates. */
export function watchHost(registry: Registry, status: () => HostStatus | undefined): void {
  const gauge = (name: string, help: string, of: (status: HostStatus | undefined) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(of(status()));
      },
    });
  gauge('tailgate_host_breaker_open', '1 while this node writes nothing because the host does not answer', (host) =>
    host?.breaker.state === 'closed' ? 0 : 1,
  );
  gauge(
    'tailgate_host_files_paused',
    'Host files that are not set up for the service',
    (host) => host?.paused.length ?? 0,
  );
  gauge('tailgate_host_on_hold', '1 while replication is on hold', (host) => (host?.hold ? 1 : 0));
}

export function watchSockets(registry: Registry, count: () => number): void {
  registry.registerMetric(
    new Gauge({
      name: 'tailgate_sockets_open',
      help: 'Phones and browsers on this node’s sync channel',
      registers: [],
      collect() {
        this.set(count());
      },
    }),
  );
}
