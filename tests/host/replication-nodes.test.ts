import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openPipeline } from '../../server/src/mutations/intake/pipeline.ts';
import { codeBook } from '../../server/src/codes/code-book.ts';
import { bossWakeups } from '../../server/src/mutations/jobs/wakeups.ts';
import { PassResult } from '../../server/src/replication/to-host/pass-result.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { change, openDepot } from '../support/depot.ts';
import { recordedLog } from '../support/recorded-log.ts';

const depot = await openDepot();
const { pool } = depot.database;
const writesOf = await depot.countWrites();
const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;
const HOUR_MS = 3_600_000;
/** An advisory lock of this test alone. */
const BARRIER = 7_474_747;
const hostedThrough = async (route: string) => {
  const { rows } = await pool.query<{ hosted_through: number }>('select hosted_through from route where id = $1', [
    route,
  ]);
  return rows[0]?.hosted_through;
};

describe('wake-ups', () => {
  test('the doorbell barrier: a batch that commits after the worker has finished the existing job still reaches the host', async () => {
    const key = await depot.addRoute('BELL', [1, 2]);
    const worker = depot.worker({ times: { sweepMs: HOUR_MS } });
    await worker.start();
    // The batch's last statements and its commit are sent together: only PostgreSQL can separate them.
    await pool.query(`
      create function public.wait_to_commit() returns trigger language plpgsql as $$ begin
        perform pg_advisory_xact_lock(${BARRIER}); return null; end $$;
      create constraint trigger wait_to_commit after insert on ledger deferrable initially deferred
        for each row when (new.route_id = 'BELL') execute function public.wait_to_commit()`);
    const barrier = await pool.connect();
    await barrier.query('select pg_advisory_lock($1)', [BARRIER]);
    const pipeline = openPipeline({
      db: pool,
      wakeups: bossWakeups(depot.boss),
      rules: () => ({ codes: codeBook([]), closeMode: 'legacy', timerMs: 600_000 }),
      clock: () => depot.clock.now,
      log: recordedLog(),
    });
    const other = await depot.addRoute('RING', [1]);
    const held = pipeline.submit(change(key, { id: 1, updates: delivered }, depot.clock.now));
    const waits = `select from pg_locks where locktype = 'advisory' and objid = ${BARRIER} and not granted`;
    await expect.poll(async () => (await pool.query(waits)).rowCount).toBe(1);
    // The existing job, sent and done while the batch is between its job and its commit.
    await depot.record(other, { id: 1, updates: delivered });
    await depot.untilHosted(other);
    expect(await hostedThrough('BELL')).toBe(1);
    await barrier.query('select pg_advisory_unlock($1)', [BARRIER]);
    barrier.release();
    await held;
    await depot.untilHosted(key);
    await depot.waitUntil(async () => (await hostedThrough('BELL')) === 2);
    expect(await writesOf('BELL')).toEqual([1]);
    await pipeline.close();
    await worker.stop();
  });

  test('a lost wake-up delays the work until the next sweep', async () => {
    const key = await depot.addRoute('DEAF', [1]);
    await depot.record(key, { id: 1, updates: delivered });
    await pool.query(`delete from pgboss.job where name = 'replicate'`);
    const worker = depot.worker({ times: { sweepMs: 200 } });
    await worker.start();
    await depot.untilHosted(key);
    await worker.stop();
    expect(await writesOf('DEAF')).toEqual([1]);
  });
});

describe('leases', () => {
  test('two workers never do the same work', async () => {
    const keys = [];
    for (let n = 0; n < 8; n++) keys.push(await depot.addRoute(`PAIR${n}`, [1, 2, 3]));
    await Promise.all(keys.flatMap((key) => [1, 2, 3].map((id) => depot.record(key, { id, updates: delivered }))));
    const workers = [depot.worker(), depot.worker()];
    await Promise.all(workers.map((worker) => worker.start()));
    for (const key of keys) await depot.untilHosted(key);
    await Promise.all(workers.map((worker) => worker.stop()));
    for (const { id } of keys) expect(await writesOf(id)).toEqual([1, 2, 3]);
  });

  test('the routes of a killed worker are leased by another worker within ten seconds', async () => {
    const key = await depot.addRoute('KILLED', [1]);
    await depot.record(key, { id: 1, updates: delivered });
    const killed = new Leases({ db: pool, owner: randomUUID() });
    expect(await killed.claim([key], new Date(0))).toHaveLength(1);
    // A killed process renews nothing and releases nothing.
    await killed.close();
    const begin = performance.now();
    const worker = depot.worker();
    await worker.start();
    await depot.untilHosted(key);
    expect(performance.now() - begin).toBeLessThan(10_000);
    await worker.stop();
    expect(await writesOf('KILLED')).toEqual([1]);
  });

  test('the fence refuses the confirmation of a former owner', async () => {
    const key = await depot.addRoute('STALE', [1]);
    await depot.record(key, { id: 1, updates: delivered });
    const stale = new Leases({ db: pool, owner: randomUUID(), leaseMs: 1, renewMs: HOUR_MS });
    const [old] = await stale.claim([key], new Date(0));
    if (!old) throw new Error('nothing was claimed');
    await pool.query(`update route_lease set expires_at = now() where route_id = 'STALE'`);
    const next = new Leases({ db: pool, owner: randomUUID(), renewMs: HOUR_MS });
    const taken = await next.acquire(key);
    expect(taken?.fence).toBe(old.fence + 1);

    const result = new PassResult();
    result.addConfirmed({ stop: 1, sequence: 1, rows: '{"files":{}}' });
    expect(await result.save({ db: pool, leases: stale, clock: () => new Date() }, old, 2)).toBe(false);
    expect(await hostedThrough('STALE')).toBe(1);
    expect((await pool.query(`select 1 from host_shadow where route_id = 'STALE'`)).rows).toEqual([]);
    await stale.close();
    await next.close();
  });

  test('a lease is renewed while its owner works', async () => {
    const key = await depot.addRoute('KEPT', [1]);
    const owner = new Leases({ db: pool, owner: randomUUID(), leaseMs: 300, renewMs: 50 });
    const lease = await owner.acquire(key);
    const other = new Leases({ db: pool, owner: randomUUID() });
    const expiry = async () => {
      const statement = `select expires_at from route_lease where route_id = 'KEPT'`;
      return (await pool.query<{ expires_at: Date }>(statement)).rows;
    };
    const first = await expiry();
    await expect.poll(expiry, { interval: 20 }).not.toEqual(first);
    expect(await other.acquire(key)).toBeUndefined();
    expect(lease && owner.holds(lease)).toBe(true);
    await owner.close();
    await other.close();
  });
});
