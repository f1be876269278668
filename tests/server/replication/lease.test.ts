import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Queryable } from '../../../server/src/db/types.ts';
import { writeModes } from '../../../server/src/modes/modes.ts';
import { Leases } from '../../../server/src/replication/to-host/lease.ts';
import { createDatabase } from '../../support/postgres.ts';

const key = { facility: 'F01', id: 'R1', week_end: '20261121' };

/** A route with changes for the host. */
const addRouteBehind = (pool: Queryable) =>
  pool.query(
    `insert into route (facility, id, week_end, version, hosted_through, header_version, plan_version, name, trailer, email_flag,
                        dispatched_on)
     values ('F01', 'R1', '20261121', 2, 1, 1, 1, '', '', false, '')`,
  );

test('a renewal that arrives after the release does not take the route again', async () => {
  const { pool } = await createDatabase();
  const { promise: underWay, resolve: begun } = Promise.withResolvers<void>();
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>();
  /** A connection on which renewals are slow. */
  const slow: Queryable = {
    query: async (statement, values) => {
      if (typeof statement === 'object' && statement.name === 'lease_renew') {
        begun();
        await released;
      }
      return pool.query(statement, values);
    },
  };
  const leases = new Leases({ db: slow, owner: randomUUID(), renewMs: 1 });
  const lease = await leases.acquire(key);
  if (!lease) throw new Error('nobody else has this route');
  await underWay;
  await leases.release(lease);
  letGo();
  await leases.close();
  const others = new Leases({ db: pool, owner: randomUUID() });
  expect(await others.acquire(key)).toBeDefined();
  await others.close();
});

test('a renewal drops a lease that another worker has taken, and keeps the others', async () => {
  const { pool } = await createDatabase();
  const other = { ...key, id: 'R2' };
  const leases = new Leases({ db: pool, owner: randomUUID(), renewMs: 1 });
  const [lost, kept] = [await leases.acquire(key), await leases.acquire(other)];
  if (!lost || !kept) throw new Error('nobody else has these routes');
  // PostgreSQL was out of reach for longer than a lease, and another worker took the route.
  await pool.query(`update route_lease set owner = gen_random_uuid(), fence = fence + 1 where route_id = 'R1'`);
  await expect.poll(() => leases.holds(lost), { interval: 5, timeout: 60_000 }).toBe(false);
  expect(leases.holds(kept)).toBe(true);
  await leases.close();
});

test('of two workers that list the same route, one claims it', async () => {
  const { pool } = await createDatabase();
  await addRouteBehind(pool);
  const [first, second] = [randomUUID(), randomUUID()].map((owner) => new Leases({ db: pool, owner }));
  if (!first || !second) throw new Error('there are two workers');
  const now = new Date();
  const lists = [await first.candidates(1, now), await second.candidates(1, now)];
  expect(lists).toEqual([[key], [key]]);
  const [lease] = await first.claim([key], now);
  if (!lease) throw new Error('nobody else has this route');
  expect(await second.claim([key], now)).toEqual([]);
  await first.release(lease);
  expect(await second.claim([key], now)).toMatchObject([{ key }]);
  await first.close();
  await second.close();
});

test('changes of a facility that is off are no reason to look again', async () => {
  const { pool } = await createDatabase();
  const leases = new Leases({ db: pool, owner: randomUUID() });
  await addRouteBehind(pool);
  const lease = await leases.acquire(key);
  if (!lease) throw new Error('nobody else has this route');
  await leases.releaseAll([lease], 60_000);
  expect((await leases.unclaimableWork()).oursMs).toBeGreaterThan(0);
  await writeModes(pool, { otherwise: 'off', facilities: new Map() }, new Date());
  expect(await leases.unclaimableWork()).toEqual({ others: false, oursMs: undefined });
  await leases.close();
});
