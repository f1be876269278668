import { expect, test } from 'vitest';
import type { RouteKey } from '@tailgate/sync-protocol';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { openDepot } from '../support/depot.ts';
import { atFileEnd } from '../support/file-end.ts';

// Db2 for i waits 60 s for a record that another program has locked. The limit of our own statements ends that wait
// first, as SQLSTATE 57014: a failure of these rows, not of the host.

const depot = await openDepot();
const { pool, url } = depot.database;
/** As many as a clerk's batch over a depot locks. */
const LOCKED = 12;
/** Longer than it takes until the last of them has met its lock. */
const STATEMENT_MS = 8_000;
const limits = { statementMs: STATEMENT_MS, lockMs: 60_000 };
const host = await openStandIn({ url, library: 'PODDTA', log: depot.log, limits });
atFileEnd(() => host.close());
const worker = depot.worker({ host });
await worker.start();

const delivered = { status: 'D', end_delivery_time: '2026-11-21T15:59:30.000Z' } as const;
const limitEnded = () =>
  depot.log.lines.filter(({ fields }) => 'sqlstate' in fields && fields.sqlstate === '57014').length;
/** Host connections of the worker that wait for a lock. */
const waiting = async () => {
  const { rowCount } = await pool.query(`select from pg_stat_activity
    where datname = current_database() and application_name = 'TAILGATE' and wait_event_type = 'Lock'`);
  return rowCount;
};
/** Milliseconds until the host has a driver's change of this route. */
const bring = async (key: RouteKey) => {
  const begin = performance.now();
  await depot.record(key, { id: 1, updates: delivered });
  await depot.untilHosted(key);
  return performance.now() - begin;
};

test('lock held for longer than a statement may take: it delays its own route only', async () => {
  const locked = [];
  for (let n = 1; n <= LOCKED; n++) locked.push(await depot.addRoute(`LOCK${n}`, [1]));
  const [before, after] = [await depot.addRoute('BEFORE', [1]), await depot.addRoute('AFTER', [1])];
  const clerk = await pool.connect();
  await clerk.query('begin');
  await clerk.query(`select from PODDTA.RTSTPP where RSRTE like 'LOCK%' for update`);
  for (const key of locked) await depot.record(key, { id: 1, updates: delivered });

  // All of them have met their first lock, and no limit has ended a wait: other routes need neither.
  await expect.poll(waiting).toBe(LOCKED);
  expect(limitEnded()).toBe(0);
  await bring(before);
  expect(limitEnded()).toBe(0);
  // Each locked route has met the limit, and is tried again later.
  await expect.poll(limitEnded).toBeGreaterThanOrEqual(LOCKED);
  expect(await bring(after)).toBeLessThan(STATEMENT_MS / 2);
  expect((await worker.state()).breaker).toEqual({ state: 'closed', failures: 0 });

  await clerk.query('commit');
  clerk.release();
  for (const key of locked) await depot.untilHosted(key);
  expect(await depot.show('RTSTUP', "RURTE like 'LOCK%'")).toHaveLength(LOCKED);
});

test('log on the host (PODRPLP) locked: it delays one route, and not each one after it', async () => {
  const [first, second] = [await depot.addRoute('FIRST', [1]), await depot.addRoute('SECOND', [1])];
  const clerk = await pool.connect();
  await clerk.query('begin');
  await clerk.query('lock table PODDTA.PODRPLP in exclusive mode');
  await bring(first);
  expect(await bring(second)).toBeLessThan(STATEMENT_MS / 2);
  await clerk.query('commit');
  clerk.release();
});
