import pg from 'pg';
import { expect, inject, test } from 'vitest';
import { atFileEnd } from '../support/file-end.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { startServer } from '../support/server-process.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { openSignedUp } from './device.ts';
import { RouteHistory, hostStateOf } from './route-history.ts';
import { demoRoute, openService } from './service.ts';

const delivered = (id: number, driver_comments = '') => ({
  id,
  updates: { status: 'D' as const, end_delivery_time: '2026-11-20T16:05:00.000Z', driver_comments },
});

test('a batch that commits while the worker finishes an earlier job still reaches the host', async () => {
  const service = await openService();
  const { pool } = service.database;
  const [slow, quick] = [
    await openSignedUp(service.server.port, '1003'),
    await openSignedUp(service.server.port, '1001'),
  ];
  const [slowHistory, quickHistory] = [new RouteHistory(demoRoute('R200')), new RouteHistory(demoRoute('R100'))];
  const release = await holdCommitsOf(service.database, 'R200');

  const delayed = slowHistory.update(slow.app, delivered(1));
  await expect.poll(() => waitingCommits(service.database), { timeout: 60_000 }).toBe(1);
  // The worker takes another batch's job, does its work and goes idle; it cannot detect the blocked one.
  await quickHistory.update(quick.app, delivered(1)).onHost;
  await expect.poll(async () => (await wakeUps(pool, ['created', 'active'])).length, { timeout: 60_000 }).toBe(0);
  expect(await hostStateOf(service, slowHistory.route)).toEqual({});
  expect(delayed.current.at).toBe('saved');
  expect(await waitingCommits(service.database)).toBe(1);
  const before = (await wakeUps(pool, ['completed'])).length;

  await release();
  await delayed.onHost;
  expect(await hostStateOf(service, slowHistory.route)).toEqual(slowHistory.expected());
  // It had a wake-up of its own, which was not lost.
  await expect.poll(async () => (await wakeUps(pool, ['completed'])).length, { timeout: 60_000 }).toBe(before + 1);
});

test('a change whose wake-up has used up all of its retries still reaches the host', async () => {
  const service = await openService();
  const { pool } = service.database;
  const phone = await openSignedUp(service.server.port, '1001');
  const history = new RouteHistory(demoRoute('R100'));
  await pool.query(
    `create function exhaust() returns trigger language plpgsql as $$
     begin
       new.state := 'failed';
       new.retry_count := new.retry_limit;
       return new;
     end $$`,
  );
  await pool.query(
    `create trigger exhaust before insert on pgboss.job for each row when (new.name = 'replicate') execute function exhaust()`,
  );
  const before = await wakeUps(pool, ['completed']);

  await history.update(phone.app, delivered(1)).onHost;
  expect(await wakeUps(pool, ['failed'])).toHaveLength(1);
  expect(await wakeUps(pool, ['created', 'active', 'completed'])).toEqual(before);
  expect(await hostStateOf(service, history.route)).toEqual(history.expected());
});

test('a worker that lost its route and still writes changes nothing', async () => {
  const { port } = new URL(inject('postgresUrl'));
  const line = await startTcpProxy(Number(port));
  const service = await openService({ role: 'worker', hostUrl: (url) => line.through(url) });
  const { pool } = service.database;
  const old = service.server;
  const api = await startServer(service.env, ['--role', 'api']);
  const writes = await service.watchWrites();
  const attempts = await watchAttempts(service.library);
  const phone = await openSignedUp(api.port, '1001');
  const history = new RouteHistory(demoRoute('R100'));
  const say = (comment: string) => history.update(phone.app, delivered(1, comment));
  await say('first').onHost;

  // The worker begins to write the second version, and is frozen before it sends a byte.
  line.bufferUp();
  const second = say('second');
  await line.untilBufferedUp((waiting) => waiting.includes('begin;'));
  const { rowCount } = await pool.query(`select from route_lease where route_id = 'R100' and expires_at > now()`);
  expect(rowCount).toBe(1);
  if (old.pid === undefined) throw new Error('the worker does not run');
  process.kill(old.pid, 'SIGSTOP');
  // The effect of eight seconds: its lease runs out. Another worker takes the route over.
  await pool.query('update route_lease set expires_at = now()');
  const secondWorker = await startServer({ ...service.env, LEGACY_URL: service.library.url }, ['--role', 'worker']);
  await second.onHost;
  await say('third').onHost;
  const attempted = await attempts();
  const written = await writes();
  expect(written.map(({ stop }) => stop)).toEqual([1, 1, 1]);

  // The old worker resumes in the middle of its write.
  process.kill(old.pid, 'SIGCONT');
  line.releaseUp();
  await expect.poll(attempts, { timeout: 60_000 }).toBeGreaterThan(attempted);
  await secondWorker.stop();
  expect(await writes()).toEqual(written);
  expect(await hostStateOf(service, history.route)).toEqual(history.expected());
  const { rows } = await pool.query<{ sequence: number }>(
    `select sequence from host_shadow where route_id = 'R100' and stop_id = 1`,
  );
  expect(rows).toEqual([{ sequence: written.at(-1)?.sequence }]);

  // It works as before.
  await say('fourth').onHost;
  expect(await hostStateOf(service, history.route)).toEqual(history.expected());
  expect(await writes()).toHaveLength(4);
});

async function wakeUps(pool: pg.Pool, states: readonly string[]): Promise<{ id: string }[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from pgboss.job where name = 'replicate' and state::text = any($1) order by created_on, id`,
    [states],
  );
  return rows;
}

const BARRIER = 7411;

/** From now on this route's batches wait at their very commit, when all of their work is done. */
async function holdCommitsOf({ pool, url }: TestDatabase, route: string): Promise<() => Promise<void>> {
  await pool.query(
    `create function hold_commit() returns trigger language plpgsql as $$
     begin
       perform pg_advisory_xact_lock(${BARRIER});
       return null;
     end $$`,
  );
  await pool.query(
    `create constraint trigger hold_commit after insert on ledger deferrable initially deferred
     for each row when (new.route_id = '${route}') execute function hold_commit()`,
  );
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  atFileEnd(() => holder.end());
  await holder.query('select pg_advisory_lock($1)', [BARRIER]);
  return async () => void (await holder.query('select pg_advisory_unlock($1)', [BARRIER]));
}

/** Batches that wait at the barrier. */
async function waitingCommits({ pool }: TestDatabase): Promise<number> {
  const { rowCount } = await pool.query(
    `select from pg_locks
      where locktype = 'advisory' and objid = $1 and not granted
        and database = (select oid from pg_database where datname = current_database())`,
    [BARRIER],
  );
  return rowCount ?? 0;
}

/** The number of attempts to write a stop's result, with or without a changed row. Sequences ignore rollbacks. */
async function watchAttempts({ pool }: TestDatabase): Promise<() => Promise<number>> {
  await pool.query('create sequence attempts');
  await pool.query(
    `create function note_attempt() returns trigger language plpgsql as $$
     begin
       perform nextval('public.attempts');
       return null;
     end $$`,
  );
  await pool.query(
    'create trigger attempt before insert or update on poddta.rtstup for each statement execute function note_attempt()',
  );
  return async () => {
    const { rows } = await pool.query<{ count: number }>(
      'select case when is_called then last_value else 0 end as count from attempts',
    );
    return rows[0]?.count ?? 0;
  };
}
