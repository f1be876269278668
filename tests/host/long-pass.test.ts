import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Queryable } from '../../server/src/db/types.ts';
import { HostStops } from '../../server/src/replication/to-host/host-stops.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { ReplicationLog } from '../../server/src/replication/to-host/replication-log.ts';
import { replicateRoute } from '../../server/src/replication/to-host/route-pass.ts';
import { savePass } from '../../server/src/replication/to-host/route-sql.ts';
import { openDepot, type Depot } from '../support/depot.ts';

const STOPS = 120;

function depsOf(depot: Depot, own: { db: Queryable; leases: Leases }) {
  const { host, log } = depot;
  const clock = () => depot.clock.now;
  const replicationLog = new ReplicationLog({
    ...{ host, clock, log },
    gate: { pause: () => undefined, pauseOf: () => undefined },
  });
  const importNow = () => Promise.reject(new Error('no other program writes here'));
  return { ...own, host: new HostStops(host), importNow, clock, log, closeDelayMs: 0, replicationLog };
}

test('a worker that is killed late in a long route has saved the shadows of every 48 stops', async () => {
  const depot = await openDepot();
  const { pool } = depot.database;
  const stops = Array.from({ length: STOPS }, (_, n) => n + 1);
  const key = await depot.addRoute('LONG', stops);
  await Promise.all(stops.map((id) => depot.record(key, { id, updates: { status: 'D' } })));
  const shadows = async () => {
    const statement = `select count(*)::int as n from host_shadow where route_id = 'LONG' and stop_id > 0`;
    return (await pool.query<{ n: number }>(statement)).rows[0]?.n;
  };

  /** The worker's way to PostgreSQL. A killed process sends no statement. */
  let isKilled = false;
  const db: Queryable = {
    query: (statement, values) => (isKilled ? Promise.reject(new Error('killed')) : pool.query(statement, values)),
  };
  const leases = new Leases({ db, owner: randomUUID() });
  const lease = await leases.acquire(key);
  if (!lease) throw new Error('the lease is free');
  const deps = depsOf(depot, { db, leases });
  let written = 0;
  const onStop = (): void => {
    if (++written === STOPS - 1) isKilled = true;
  };
  await expect(replicateRoute({ ...deps, gate: { isHalted: false } }, lease, { onStop })).rejects.toThrow('killed');
  await leases.close();
  expect(written).toBe(STOPS);
  // The host has all stops, and the service knows it of all but the last ones.
  expect(await depot.show('RTSTUP', "RURTE = 'LONG'")).toHaveLength(STOPS);
  expect(await shadows()).toBe(96);
});

test('a worker that loses its route at the save of the last stops does not go on to the route’s row', async () => {
  const depot = await openDepot();
  const { pool } = depot.database;
  const stops = Array.from({ length: 48 }, (_, n) => n + 1);
  const key = await depot.addRoute('TAKEN', stops);
  await Promise.all(stops.map((id) => depot.record(key, { id, updates: { status: 'D' } })));
  let saves = 0;
  const db: Queryable = {
    query: async (statement, values) => {
      if (statement === savePass && ++saves === 1)
        await pool.query(
          `update route_lease set owner = gen_random_uuid(), fence = fence + 1 where route_id = 'TAKEN'`,
        );
      return pool.query(statement, values);
    },
  };
  const leases = new Leases({ db, owner: randomUUID() });
  const lease = await leases.acquire(key);
  if (!lease) throw new Error('the lease is free');
  expect(await replicateRoute({ ...depsOf(depot, { db, leases }), gate: { isHalted: false } }, lease)).toBe('lost');
  await leases.close();
  // The second save is the one behind the route's row.
  expect(saves).toBe(1);
});
