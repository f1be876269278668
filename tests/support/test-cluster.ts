import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  findRunning,
  initialise,
  isAlive,
  logTail,
  start,
  stop,
  SUPERUSER,
  type Cluster,
} from '../../server/src/embedded-postgres/cluster.ts';
import { placeCluster } from '../../server/src/embedded-postgres/placement.ts';
import { stopPostgresAtExit, deferSignals } from './process-exit.ts';
import { reservePort } from './reserved-port.ts';
import { MEMORY, throwawayPlace } from './throwaway-place.ts';

const PREFIX = 'tailgate-test-';
const FAILED_RUNS_KEPT = 3;
/** The throw-away PostgreSQL on loopback of one test run. */
const PASSWORD = 'test';

/** Speed instead of durability. A test that needs a durable PostgreSQL opens one of its own by `openEmbedded`. */
const FAST = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: 200,
  shared_buffers: '128MB',
};

export interface TestCluster {
  home: string;
  cluster: Cluster;
  /** Of the database `postgres`; replace the path for another one. */
  url: string;
  /** It has been stopped and needs no end with this process. */
  stopped: () => void;
}

/**
 * A new PostgreSQL in the temporary folder, marked with this process's id so that a later run can detect whether it
 * still runs.
 */
export async function startTestCluster(): Promise<TestCluster> {
  await sweepAbandoned();
  return deferSignals(async () => {
    const home = await mkdtemp(join(await throwawayPlace(), PREFIX));
    await writeFile(join(home, 'pid'), String(process.pid));
    return open(home);
  });
}

/** Starts the PostgreSQL of `home`, to open the databases that a failed run has left. */
export const openTestCluster = (home: string): Promise<TestCluster> => deferSignals(() => open(home));

async function open(home: string): Promise<TestCluster> {
  const cluster = await placeCluster(home);
  await initialise(cluster, PASSWORD, { flags: ['--no-sync', '--no-data-checksums'] });
  const port = await reservePort();
  await start(cluster, port, FAST);
  const running = await findRunning(cluster);
  if (!running) throw new Error(`PostgreSQL of ${home} has ended by itself: ${await logTail(cluster)}`);
  const stopped = stopPostgresAtExit(running.pid, home);
  return { home, cluster, stopped, url: `postgres://${SUPERUSER}:${PASSWORD}@127.0.0.1:${port}/postgres` };
}

/** Stops it, and deletes it unless a failed test has left a database in it. */
export async function endTestCluster({ home, cluster, stopped }: TestCluster, retained: string[]): Promise<void> {
  await stop(cluster);
  stopped();
  // A process that ends at this moment may still write its compiled modules there.
  if (retained.length === 0) await rm(home, { recursive: true, force: true, maxRetries: 5 });
  else await rm(join(home, 'pid'));
}

/** Remaining databases; tests that passed have dropped theirs. */
export async function retainedDatabases(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where datname like 'test\\_%' order by datname`,
    );
    return rows.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** A killed run leaves its PostgreSQL behind: this stops, deletes and reports it. Of failed runs the latest remains. */
async function sweepAbandoned(): Promise<void> {
  const retained: { home: string; since: number }[] = [];
  for (const home of [...(await clustersIn(tmpdir())), ...(await clustersIn(MEMORY))]) {
    const pid = Number(await readFile(join(home, 'pid'), 'utf8').catch(() => ''));
    if (!pid)
      retained.push({
        home,
        since: await stat(home).then(
          ({ mtimeMs }) => mtimeMs,
          () => 0,
        ),
      });
    else if (!isAlive(pid)) {
      await remove(home);
      console.log(`removed ${home}, left behind by a test run that was killed (process ${pid})`);
    }
  }
  const old = retained.toSorted((a, b) => b.since - a.since).slice(FAILED_RUNS_KEPT);
  for (const { home } of old) await remove(home);
}

async function remove(home: string): Promise<void> {
  try {
    const cluster = await placeCluster(home);
    if (await findRunning(cluster)) await stop(cluster);
    await rm(home, { recursive: true, force: true });
  } catch (err) {
    // Most likely another run that starts just now was faster; the next one retries the rest.
    console.warn(`${home}, left behind by an earlier test run, could not be removed`, err);
  }
}

/** Only this user's runs; it leaves those of other users alone. */
async function clustersIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  const homes = names.filter((name) => name.startsWith(PREFIX)).map((name) => join(folder, name));
  const owners = await Promise.all(
    homes.map((home) =>
      stat(home).then(
        ({ uid }) => uid,
        () => undefined,
      ),
    ),
  );
  return homes.filter((_, index) => owners[index] === process.getuid?.());
}
