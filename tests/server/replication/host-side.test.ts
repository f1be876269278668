import { randomUUID } from 'node:crypto';
import type { QueryResultRow } from 'pg';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { loadConfig } from '../../../server/src/config.ts';
import type { Db, Statement } from '../../../server/src/db/types.ts';
import { HostSide, type HostSideOptions } from '../../../server/src/replication/host-side.ts';
import { Leases } from '../../../server/src/replication/to-host/lease.ts';
import { openDepot } from '../../support/depot.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// The start of a server's host side: the server serves phones while the host is slow or away (I14).

const depot = await openDepot();
const { database, boss, listener, pipeline } = depot;
const { pool } = database;
const route = await depot.addRoute('NORTH', [1]);
const other = await depot.addRoute('SOUTH', [1]);
const sides: HostSide[] = [];
afterAll(async () => {
  for (const side of sides) await side.stop();
});

async function openSide(hostUrl: string, over: Partial<HostSideOptions> = {}, mode = 'live') {
  const log = recordedLog();
  const env = { DATABASE_URL: database.url, LEGACY_URL: hostUrl, DATA_DIR: await temporaryFolder(), DEMO: '0' };
  const stopping = new AbortController();
  const side = new HostSide({
    config: loadConfig({ ...env, IMPORT_FROM: '20200101', LEGACY_MODE: mode }, []),
    db: pool,
    databaseUrl: database.url,
    listener,
    boss,
    pipeline,
    log,
    clock: () => new Date(),
    isRestored: false,
    stopping: stopping.signal,
    ...over,
  });
  sides.push(side);
  return { side, log, stopping };
}

const workers = async () => (await pool.query('select from worker_heartbeat')).rowCount;

/** Locks both routes against the import. */
async function lockRoutes() {
  const holders = await Promise.all(
    [route, other].map(async ({ id }) => {
      const session = await pool.connect();
      const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
      await session.query('begin');
      await session.query('select from route where id = $1 for no key update', [id]);
      return { session, pid: rows[0]?.pid };
    }),
  );
  const awaited = async () => {
    const { rows } = await pool.query<{ pid: number }>(
      `select unnest(pg_blocking_pids(pid)) as pid from pg_stat_activity where wait_event_type = 'Lock'`,
    );
    return holders.find(({ pid }) => rows.some((row) => row.pid === pid));
  };
  return {
    isAwaited: async () => {
      await expect.poll(awaited).toBeDefined();
    },
    /** Lets the import have the route that it waits for. */
    releaseOne: async () => (await awaited())?.session.query('rollback'),
    [Symbol.asyncDispose]: async () => {
      for (const { session } of holders) session.release(true);
    },
  };
}

test('a start does not wait until the routes of the host are imported, and a stop waits for one of them at most', async () => {
  await using locks = await lockRoutes();
  const { side } = await openSide(database.url);
  await side.start();
  expect(await workers()).toBe(1);
  await locks.isAwaited();
  const stopped = side.stop();
  await locks.releaseOne();
  // The other one is locked to the end.
  await stopped;
});

test('a stop during a start that waits for the routes waits for one of them at most, too', async () => {
  await using locks = await lockRoutes();
  const { side, stopping } = await openSide(database.url, { isRestored: true });
  const ended = side.start().catch((reason: unknown) => reason);
  await locks.isAwaited();
  stopping.abort();
  await locks.releaseOne();
  expect(await ended).toBe(stopping.signal.reason);
  expect(await workers()).toBe(0);
});

test('a worker that fails to start leaves nothing at pg-boss', async () => {
  const work = vi.fn<(queue: string) => Promise<string>>(async (queue) => {
    if (work.mock.calls.length === 2) throw new Error('terminating connection due to administrator command');
    return queue;
  });
  const offWork = vi.fn<(queue: string, options?: object) => Promise<void>>();
  const { side } = await openSide(database.url, { boss: { work, offWork } });
  await expect(side.start()).rejects.toThrow('terminating connection');
  const [[queue] = []] = work.mock.calls;
  expect(offWork.mock.calls).toEqual([[queue, { id: queue }]]);
});

describe('a facility that leaves its shadow', () => {
  const modes = async () => (await pool.query<{ mode: string }>('select mode from facility_mode')).rows;
  const enter = async (mode: string) => {
    const { side } = await openSide(database.url, {}, mode);
    await side.start();
    await side.stop();
  };
  const needsPhotos = async (isAway: boolean) =>
    pool.query(`alter table PODDTA.${isAway ? 'RTIMGP rename to RTIMGP_AWAY' : 'RTIMGP_AWAY rename to RTIMGP'}`);

  test('stays in shadow where a file cannot be read: the start ends with its name', async () => {
    await enter('shadow');
    await needsPhotos(true);
    const { side } = await openSide(database.url);
    await expect(side.start()).rejects.toThrow(/the host cannot be used: .*rtimgp/i);
    expect(await modes()).toEqual([{ mode: 'shadow' }]);
    await needsPhotos(false);
  });

  test('a stop ends the wait for a route that another worker has', async () => {
    await enter('shadow');
    const leases = new Leases({ db: pool, owner: randomUUID() });
    await leases.acquire(route);
    const { side, log, stopping } = await openSide(database.url);
    const ended = side.start().catch((reason: unknown) => reason);
    const isWaiting = () => log.lines.some(({ message }) => message.startsWith('routes are compared again'));
    await expect.poll(isWaiting).toBe(true);
    stopping.abort();
    expect(await ended).toBe(stopping.signal.reason);
    expect(await modes()).toEqual([{ mode: 'shadow' }]);
    await leases.close();
    await enter('live');
    expect(await modes()).toEqual([{ mode: 'live' }]);
  });
});

test('a host that was away is tried again, also after a failure of another kind', async () => {
  const proxy = await startTcpProxy(Number(new URL(database.url).port));
  proxy.refuse();
  let failures = 0;
  const failsOnce: Db = {
    connect: () => pool.connect(),
    query: <Row extends QueryResultRow>(statement: Statement, values?: unknown[]) => {
      if (proxy.links === 0 || failures > 0) return pool.query<Row>(statement, values);
      failures += 1;
      return Promise.reject(new Error('terminating connection due to administrator command'));
    },
  };
  const { side, log } = await openSide(proxy.through(database.url), { db: failsOnce });
  await side.start();
  expect(await workers()).toBe(0);
  await proxy.accept();
  await expect.poll(workers).toBe(1);
  expect(failures).toBe(1);
  const messages = () => log.lines.map(({ message }) => message);
  await expect.poll(messages).toContain('the host answers');
  expect(messages()).toContain('the host is away; the server goes on and tries again');
});
