import type { QueryResultRow } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../../../server/src/config.ts';
import type { Db, Statement } from '../../../server/src/db/types.ts';
import { HostSide, type HostSideOptions } from '../../../server/src/replication/host-side.ts';
import { openDepot } from '../../support/depot.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// The start of a server's host side: the server serves phones while the host is slow or away (I14).

const depot = await openDepot();
const { database, boss, listener, pipeline } = depot;
const { pool } = database;
const route = await depot.addRoute('NORTH', [1]);
const sides: HostSide[] = [];
afterAll(async () => {
  for (const side of sides) await side.stop();
});

async function openSide(hostUrl: string, over: Partial<HostSideOptions> = {}) {
  const log = recordedLog();
  const env = { DATABASE_URL: database.url, LEGACY_URL: hostUrl, DATA_DIR: await temporaryFolder(), DEMO: '0' };
  const side = new HostSide({
    config: loadConfig({ ...env, IMPORT_FROM: '20200101' }, []),
    db: pool,
    databaseUrl: database.url,
    listener,
    boss,
    pipeline,
    log,
    clock: () => new Date(),
    isRestored: false,
    ...over,
  });
  sides.push(side);
  return { side, log };
}

const workers = async () => (await pool.query('select from worker_heartbeat')).rowCount;

test('a start does not wait until the routes of the host are imported, and a stop waits for one of them at most', async () => {
  const busy = await pool.connect();
  try {
    // The first snapshot cannot save a route now: it takes as long as this lock.
    await pool.query('delete from route where id = $1', [route.id]);
    await busy.query('begin');
    await busy.query('lock table route in share row exclusive mode');
    const { side } = await openSide(database.url);
    await side.start();
    expect(await workers()).toBe(1);
    const waits = `select from pg_locks where relation = 'route'::regclass and not granted`;
    await expect.poll(async () => (await busy.query(waits)).rowCount).toBe(1);
    const stopped = side.stop();
    await busy.query('rollback');
    await stopped;
  } finally {
    busy.release();
  }
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
