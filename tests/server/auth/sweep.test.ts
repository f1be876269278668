import { beforeAll, describe, expect, test } from 'vitest';
import { sweepAuth } from '../../../server/src/auth/sweep.ts';
import { SharedCounters } from '../../../server/src/db/shared-counters.ts';
import type { TestDatabase } from '../../support/postgres.ts';
import { createDatabase } from '../../support/postgres.ts';

const hour = 3_600_000;
const now = new Date('2026-11-21T16:00:00Z');
const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * hour);

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});

describe('counters that nodes share', () => {
  test('count from the first event of a window to its end, each key by itself', async () => {
    const clock = { now };
    const counters = new SharedCounters(database.pool, () => clock.now);
    const elsewhere = new SharedCounters(database.pool, () => clock.now);
    expect(await counters.read('a')).toEqual({ count: 0, endsInMs: 0 });
    expect(await counters.count('a', 60_000)).toEqual({ count: 1, endsInMs: 60_000 });
    clock.now = new Date(now.getTime() + 20_000);
    expect(await elsewhere.count('a', 60_000)).toEqual({ count: 2, endsInMs: 40_000 });
    expect(await counters.read('a')).toEqual({ count: 2, endsInMs: 40_000 });
    expect(await counters.read('b')).toEqual({ count: 0, endsInMs: 0 });
    clock.now = new Date(now.getTime() + 60_000);
    expect(await counters.read('a')).toEqual({ count: 0, endsInMs: 0 });
    expect(await counters.count('a', 60_000)).toEqual({ count: 1, endsInMs: 60_000 });
  });

  test('count concurrent events exactly', async () => {
    const counters = new SharedCounters(database.pool, () => now);
    const counts = await Promise.all(Array.from({ length: 20 }, () => counters.count('storm', 60_000)));
    expect(counts.map(({ count }) => count).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  });
});

describe('the sweep', () => {
  test('deletes only records that no limit reads any more', async () => {
    const { pool } = database;
    const counters = new SharedCounters(pool, () => now);
    await pool.query(
      `insert into sign_in_failure (employee, address, device, failures, last_at) values ('old', '', '', 9, $1), ('new', '', '', 9, $2)`,
      [hoursAgo(25), hoursAgo(23)],
    );
    await pool.query(
      `insert into one_time_password (employee, hash, mark, expires_at) values ('old', '', 0, $1), ('new', '', 0, $2)`,
      [hoursAgo(25), hoursAgo(23)],
    );
    await pool.query(
      `insert into sms_sent (id, kind, employee, at) values (gen_random_uuid(), 'x', 'old', $1), (gen_random_uuid(), 'x', 'new', $2)`,
      [hoursAgo(91 * 24), hoursAgo(89 * 24)],
    );
    await pool.query(`insert into event_window (key, count, ends_at) values ('old', 1, $1), ('new', 1, $2)`, [
      hoursAgo(1),
      hoursAgo(-1),
    ]);
    await sweepAuth({ db: pool, counters, clock: () => now });
    const { rows } = await pool.query<{ left: string }>(
      `select 'failure ' || employee as left from sign_in_failure union all select 'code ' || employee from one_time_password
        union all select 'sms ' || employee from sms_sent union all select 'window ' || key from event_window where key in ('old', 'new')`,
    );
    expect(rows.map(({ left }) => left).toSorted()).toEqual(['code new', 'failure new', 'sms new', 'window new']);
  });
});
