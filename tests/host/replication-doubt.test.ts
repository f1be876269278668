import { describe, expect, test } from 'vitest';
import { startListener } from '../../server/src/db/listen.ts';
import { HostStops } from '../../server/src/replication/to-host/host-stops.ts';
import { HostError, type Host } from '../../server/src/host/host.ts';
import { hostMoment } from '../../server/src/host/files/local-time.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { withTrace, stopText } from '../../server/src/replication/to-host/trace.ts';
import { hostRows } from '../../server/src/stops/host-rows.ts';
import { readResult } from '../../server/src/stops/stored-documents.ts';
import { openDepot, ZONE } from '../support/depot.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const depot = await openDepot();
const { pool, url } = depot.database;
const writesOf = await depot.countWrites();
const listener = await startListener({ url, log: recordedLog() });
atFileEnd(() => listener.stop());

const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;

test('killed mid-transaction, after its commit: a lost answer is settled by reading back: the stop is written once', async () => {
  const key = await depot.addRoute('LOST', [1]);
  const proxy = await startTcpProxy(Number(new URL(url).port));
  const far = await openStandIn({ url: proxy.through(url), library: 'PODDTA', log: recordedLog() });
  atFileEnd(() => far.close());
  let lostAnswers = 1;
  const unreliable: Host = {
    ...far,
    transaction: (work) =>
      far.transaction(async (tx) => {
        const result = await work(tx);
        // From here on the host's answers are lost: the next one is that of the commit.
        if (lostAnswers-- > 0) proxy.bufferDown();
        return result;
      }),
  };
  const committed = Promise.withResolvers<void>();
  await listener.onNotify('host_commit', () => committed.resolve());
  const worker = depot.worker({ host: unreliable });
  await worker.start();
  await depot.record(key, { id: 1, updates: delivered });
  await committed.promise;
  proxy.cut();
  proxy.pass();
  await depot.untilHosted(key);
  await worker.stop();
  expect(await writesOf('LOST')).toEqual([1]);
  expect((await pool.query('select * from parked')).rows).toEqual([]);
  expect(depot.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

/** The remains of a worker that is killed between its commit on the host and its confirmation: rows without a shadow. */
async function killAfterWriting(id: string, comment: string, lateMs = 0) {
  const key = await depot.addRoute(id, [1]);
  await depot.record(key, { id: 1, updates: { ...delivered, driver_comments: comment } });
  const { rows } = await pool.query<{ doc: string }>('select doc from stop_result where route_id = $1', [id]);
  const moment = (instant: Date) => hostMoment(instant, ZONE);
  const stop = { key, stop: 1, result: readResult(rows[0]?.doc ?? ''), sequence: '10000000002' as const, moment };
  const stamp = { user: 'TAILGATE', program: 'TAILGATE', ...moment(new Date(depot.clock.now.getTime() + lateMs)) };
  expect(await new HostStops(depot.host).write(withTrace(hostRows(stop)), undefined, stamp)).toBe(true);
  return key;
}

describe('a worker is killed between its commit on the host and its confirmation', () => {
  test('the next one finds its own values and writes nothing', async () => {
    const key = await killAfterWriting('KILLED', 'at the ramp');
    await depot.replicateOnce(key);
    expect(await writesOf('KILLED')).toEqual([1]);
  });

  test('a later change overwrites it: the service’s own rows are no foreign edit', async () => {
    const key = await killAfterWriting('OVER', 'at the ramp');
    depot.clock.now = new Date(depot.clock.now.getTime() + 1000);
    await depot.record(key, { id: 1, updates: { driver_comments: 'inside' } });
    await depot.replicateOnce(key);
    expect(await depot.show('RTSTUP', "RURTE = 'OVER'")).toMatchObject([{ RUCMT: 'inside', RURPSQ: '10000000003' }]);
    expect((await pool.query(`select source from ledger where route_id = 'OVER'`)).rows).toEqual([
      { source: 'rest' },
      { source: 'rest' },
    ]);
  });

  test('an edit of a clerk in between is imported', async () => {
    const key = await killAfterWriting('KNOWN', 'at the ramp');
    await depot.clerk(`update PODDTA.RTSTUP set RUSNAM = 'Erika' where RURTE = 'KNOWN'`);
    depot.clock.now = new Date(depot.clock.now.getTime() + 1000);
    await depot.record(key, { id: 1, updates: { driver_comments: 'inside' } });
    await depot.replicateOnce(key);
    expect(await depot.show('RTSTUP', "RURTE = 'KNOWN'")).toMatchObject([{ RUCMT: 'inside', RUSNAM: 'Erika' }]);
  });
});

/** At the end: from here on the server is in epoch 2. */
async function failOver(): Promise<void> {
  const begin = (epoch: number, after: string) =>
    pool.query(
      `insert into server_epoch (epoch, cluster, timeline, started_at, reason) values ($1, '', $1, $2::timestamptz + $3::interval, '')`,
      [epoch, depot.clock.now, after],
    );
  await begin(1, '-1 day');
  await begin(2, '500 milliseconds');
}

test('after any lost answers the host ends with the mirror’s values, and no write is imported as a clerk’s', async () => {
  const stops = [1, 2, 3, 4, 5, 6];
  const key = await depot.addRoute('LIES', stops);
  // A fixed seed: a run that fails fails again.
  const random = seeded(7);
  const unreliable: Host = {
    ...depot.host,
    transaction: async (work) => {
      if (random() < 0.2) throw new HostError('08003', 'broke before anything was written');
      const result = await depot.host.transaction(work);
      if (random() < 0.4) throw new HostError('08007', 'committed, and nobody says so');
      return result;
    },
  };
  const options = { host: unreliable, random: () => 0.001 };
  let worker = depot.worker(options);
  await worker.start();
  for (let n = 0; n < 60; n++) {
    depot.clock.now = new Date(depot.clock.now.getTime() + 1000);
    const quantity = Math.floor(random() * 3);
    const line = { id: 'ITEM1', invoice: 'INV1', updates: { delivered: n, osd_data: exceptions(quantity) } };
    await depot.record(key, {
      id: stops[n % 6] ?? 1,
      updates: { ...delivered, driver_comments: `n ${n}` },
      products: [line],
    });
    if (n % 20 === 19) {
      // Another node takes over, without a memory of the open commits.
      await worker.stop();
      worker = depot.worker(options);
      await worker.start();
    }
  }
  await depot.untilHosted(key);
  await worker.stop();
  const host = new HostStops(depot.host);
  for (const stop of stops) {
    const { rows } = await pool.query<{ doc: string; version: number }>(
      `select doc, version from stop_result where route_id = 'LIES' and stop_id = $1`,
      [stop],
    );
    const [mirror] = rows;
    const found = await host.read(key, stop);
    if (!mirror || !found) throw new Error(`stop ${stop} is missing`);
    const moment = (instant: Date) => hostMoment(instant, ZONE);
    const sequence = `${10_000_000_000 + mirror.version}` as const;
    const wanted = withTrace(hostRows({ key, stop, result: readResult(mirror.doc), sequence, moment }, found));
    expect(stopText(found.rows)).toBe(stopText(wanted));
  }
  expect((await pool.query(`select distinct source from ledger where route_id = 'LIES'`)).rows).toEqual([
    { source: 'rest' },
  ]);
  expect((await pool.query('select * from parked')).rows).toEqual([]);
});

const exceptions = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ osd_id: `id000${n}`, osd_code: 10, data: [{ quantity: n }] }));

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

test('a worker ends with a primary whose standby has lost nothing: the driver’s later record is kept, however late the earlier one was written', async () => {
  const key = await killAfterWriting('NEXT', 'at the ramp', 2_000);
  await failOver();
  depot.clock.now = new Date(depot.clock.now.getTime() + 1_000);
  await depot.record(key, { id: 1, updates: { driver_comments: 'inside' } });
  await depot.replicateOnce(key);
  expect(await depot.show('RTSTUP', "RURTE = 'NEXT'")).toMatchObject([{ RUCMT: 'inside', RURPSQ: '20000000003' }]);
  expect((await pool.query(`select source from ledger where route_id = 'NEXT'`)).rows).toHaveLength(2);
});
