import { randomUUID } from 'node:crypto';
import type { RouteKey } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import type { Queryable } from '../../server/src/db/types.ts';
import { HostStops } from '../../server/src/replication/to-host/host-stops.ts';
import type { Host } from '../../server/src/host/host.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { ReplicationLog } from '../../server/src/replication/to-host/replication-log.ts';
import { replicateRoute } from '../../server/src/replication/to-host/route-pass.ts';
import { Chance } from '../simulate/chance.ts';
import { openDepot } from '../support/depot.ts';
import { KillableProcess } from '../support/killable-process.ts';

// Processes that are killed during replication, at any moment: nothing is lost, nothing is written twice, and no write passes
// for a clerk's.

// `KILL_SEED=… npx vitest run tests/host/killed.test.ts` chooses the same pairs of kills again; KILL_STEPS=all takes
// every one (`npm run soak -- killed-twice`).
const { KILL_SEED: givenSeed, KILL_STEPS: wanted } = process.env;
const seed = Number(givenSeed ?? Math.floor(Math.random() * 2 ** 31));
const chance = new Chance(seed);
const PAIRS = 3;
/** More than a pass has; a further pair without effect does no harm. */
const STEPS = 30;

const depot = await openDepot();
const { pool } = depot.database;
const writesOf = await depot.countWrites();

const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;
const line = (delivered_: number) => ({
  ...{ id: 'ITEM1', invoice: 'INV1' },
  updates: { delivered: delivered_, osd_data: [{ osd_code: 10, data: [{ quantity: delivered_ }] }] },
});
const later = () => (depot.clock.now = new Date(depot.clock.now.getTime() + 1_000));
const all = async (statement: string): Promise<unknown[]> => (await pool.query<object>(statement)).rows;

/** A worker's pass over one route, with this database and this host; it has the lease for its whole life. */
async function bring(key: RouteKey, db: Queryable, host: Host): Promise<void> {
  const leases = new Leases({ db, owner: randomUUID() });
  try {
    const lease = await leases.acquire(key);
    if (!lease) throw new Error('the lease is free');
    const replicationLog = new ReplicationLog({
      host,
      gate: { pause: () => undefined, pauseOf: () => undefined },
      clock: () => depot.clock.now,
      log: depot.log,
    });
    await replicateRoute(
      {
        db,
        host: new HostStops(host),
        leases,
        importNow: () => Promise.reject(new Error('nobody else writes here')),
        clock: () => depot.clock.now,
        log: depot.log,
        closeDelayMs: 0,
        gate: { isHalted: false },
        replicationLog,
      },
      lease,
    );
  } finally {
    await leases.close();
  }
}

/** A change of the route's only stop, the n-th. */
async function change(key: RouteKey, n: number): Promise<void> {
  later();
  await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: `no ${n}` }, products: [line(n)] });
  // The route's own row changes each time, too.
  await pool.query(`update route set late = $1 where id = $2`, [n, key.id]);
}

/** Kills a worker after a number of steps. @returns false if it needed fewer */
async function isKilledAfter(key: RouteKey, steps: number): Promise<boolean> {
  const killable = new KillableProcess(steps);
  await bring(key, killable.database(pool), killable.host(depot.host)).catch((error: unknown) => {
    if (!killable.isKilled) throw error;
  });
  // A killed worker's lease is not released: it expires.
  if (killable.isKilled) await pool.query(`update route_lease set expires_at = now() where route_id = $1`, [key.id]);
  return killable.isKilled;
}

async function expectOnHost(key: RouteKey, n: number): Promise<void> {
  expect(await depot.show('RTSTUP', `RURTE = '${key.id}'`)).toMatchObject([{ RUCMT: `no ${n}` }]);
  expect(await depot.show('RTHDRP', `RHRTE = '${key.id}'`)).toMatchObject([{ RHLATE: `${n}` }]);
  expect(await all(`select behind from route where id = '${key.id}'`)).toEqual([{ behind: false }]);
}

/** Each change once; no write counts as a clerk's, and nothing is parked. */
async function expectQuiet(key: RouteKey, changes: number): Promise<void> {
  expect(await writesOf(key.id)).toHaveLength(changes);
  expect(await all(`select distinct source from ledger where route_id = '${key.id}'`)).toEqual([{ source: 'rest' }]);
  expect(await all('select kind from incident')).toEqual([]);
  expect(await all('select sqlstate from parked')).toEqual([]);
}

test('worker killed -9 at each step: the next one ends with the same rows, written once', async () => {
  const key = await depot.addRoute('STEPS', [1]);
  let kills = 0;
  for (; ; kills++) {
    await change(key, kills);
    if (!(await isKilledAfter(key, kills))) break;
    await bring(key, pool, depot.host);
    await expectOnHost(key, kills);
  }
  // Lease, route, stops, a dozen statements on the host with two commits and more, and the confirmation.
  expect(kills).toBeGreaterThan(25);
  await expectQuiet(key, kills + 1);
});

test(
  'next worker killed, too, during the recovery: a third one ends with the same rows, written once',
  async ({ annotate }) => {
    await annotate(`KILL_SEED=${seed}`);
    const key = await depot.addRoute('TWICE', [1]);
    let changes = 0;
    /** @returns how many of the two were killed before their end */
    const killTwice = async (first: number, second: number): Promise<number> => {
      await change(key, ++changes);
      let kills = 0;
      for (const steps of [first, second]) {
        if (!(await isKilledAfter(key, steps))) break;
        kills++;
      }
      if (kills === 2) await bring(key, pool, depot.host);
      await expectOnHost(key, changes);
      return kills;
    };
    if (wanted === 'all') {
      let kills = 2;
      for (let first = 0; kills > 0; first++) {
        kills = 2;
        for (let second = 0; kills === 2; second++) kills = await killTwice(first, second);
      }
    } else for (let n = 0; n < PAIRS; n++) await killTwice(chance.below(STEPS), chance.below(STEPS));
    expect(changes).toBeGreaterThanOrEqual(PAIRS);
    await expectQuiet(key, changes);
  },
  wanted === 'all' ? 600_000 : undefined,
);

test('killed mid-transaction, before its commit: it has no effect, and the whole transaction is repeated', async () => {
  const key = await depot.addRoute('HALF', [1]);
  let kills = 1;
  const seen: number[] = [];
  const killableHost: Host = {
    ...depot.host,
    transaction: (work) =>
      depot.host.transaction(async (tx) => {
        const result = await work(tx);
        const [backend] = await tx.query('select pg_backend_pid() as PID');
        const [written] = await tx.query(`select count(*) as N from PODDTA.RTSTUP where RURTE = 'HALF'`);
        if (written?.['N'] === '1' && kills-- > 0) {
          await pool.query('select pg_terminate_backend($1)', [backend?.['PID']]);
          seen.push((await depot.show('RTPRUP', "RQRTE = 'HALF'")).length);
        }
        return result;
      }),
  };
  const worker = depot.worker({ host: killableHost, random: () => 0.01 });
  await worker.start();
  await depot.record(key, { id: 1, updates: delivered, products: [line(3)] });
  await depot.untilHosted(key);
  await worker.stop();
  expect(seen).toEqual([0]);
  expect(await depot.show('RTPRUP', "RQRTE = 'HALF'")).toMatchObject([{ RQDLV: '3' }]);
  expect(await writesOf('HALF')).toEqual([1]);
});

test('PostgreSQL restarted: all connections end together, and everything recovers without help', async () => {
  const key = await depot.addRoute('RESTART', [1, 2]);
  let restarts = 1;
  const restarted: Host = {
    ...depot.host,
    transaction: (work) =>
      depot.host.transaction(async (tx) => {
        const result = await work(tx);
        // In the middle of a stop's rows, with the worker's own statements, pg-boss's and all LISTEN sessions.
        if (restarts-- > 0)
          await pool
            .query('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()')
            .catch(() => undefined);
        return result;
      }),
  };
  const worker = depot.worker({ host: restarted, random: () => 0.01, times: { sweepMs: 200 } });
  await worker.start();
  await depot.record(key, { id: 1, updates: delivered });
  await expect.poll(() => depot.show('RTSTUP', "RURTE = 'RESTART'")).toMatchObject([{ RUSTP: '1' }]);
  later();
  await depot.record(key, { id: 2, updates: delivered });
  await expect.poll(() => all(`select behind from route where id = 'RESTART'`)).toEqual([{ behind: false }]);
  await worker.stop();
  expect(await writesOf('RESTART')).toEqual([1, 2]);
  expect(restarts).toBeLessThan(0);
});

test('clock change at the facility: RUUTC distinguishes the repeated hour, the skipped one moves nothing', async () => {
  const key = await depot.addRoute('CLOCKS', [1, 2, 3, 4]);
  const ends = [
    '2026-11-01T06:30:00.000Z',
    '2026-11-01T07:30:00.000Z',
    '2026-03-08T07:59:59.000Z',
    '2026-03-08T08:00:00.000Z',
  ];
  for (const [i, end_delivery_time] of ends.entries())
    await depot.record(key, { id: i + 1, updates: { status: 'D', end_delivery_time } });
  await bring(key, pool, depot.host);
  const rows = await depot.show('RTSTUP', "RURTE = 'CLOCKS'");
  expect(rows.map(({ RUEDT, RUETM, RUUTC }) => [RUEDT, RUETM, RUUTC])).toEqual([
    ['20261101', '13000', ends[0]],
    ['20261101', '13000', ends[1]],
    ['20260308', '15959', ends[2]],
    ['20260308', '30000', ends[3]],
  ]);
  // The office corrects another column of the second one: the ambiguous time stays the driver's.
  await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Erika' where RURTE = 'CLOCKS' and RUSTP = 2`);
  await depot.importNow();
  const { rows: mirror } = await pool.query<{ end: string }>(
    `select doc::json -> 'updates' ->> 'end_delivery_time' as end from stop_result where route_id = 'CLOCKS' and stop_id = 2`,
  );
  expect(mirror).toEqual([{ end: ends[1] }]);
});
