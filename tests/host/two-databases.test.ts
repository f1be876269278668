import { expect, test } from 'vitest';
import type { RouteKey } from '@tailgate/sync-protocol';
import { openDepot } from '../support/depot.ts';

// Two databases of the service take one facility from one library: claims do not see each other, the host's rows show it.

const depot = await openDepot();
const { pool } = depot.database;

const beginEpoch = () =>
  pool.query(
    `insert into server_epoch (epoch, cluster, timeline, started_at, reason)
     select coalesce(max(epoch), 0) + 1, '', 1, now(), '' from server_epoch`,
  );

/** The database is another one from now on, which has the route as dispatched: the host's rows are those of the former one. */
async function changeDatabase({ id }: RouteKey): Promise<void> {
  for (const table of ['ledger', 'host_shadow']) await pool.query(`delete from ${table} where route_id = $1`, [id]);
  await pool.query(`update stop_result set doc = '{"status":"P"}', version = 1, status = 'P' where route_id = $1`, [
    id,
  ]);
  await pool.query('update route set version = 1, hosted_through = 1 where id = $1', [id]);
}

const incidents = async () =>
  (
    await pool.query<{ details: string }>(`select details from incident where kind = 'host_written_elsewhere'`)
  ).rows.map(({ details }) => details);

const comment = async (key: RouteKey, words: string) => {
  await depot.record(key, { id: 1, updates: { driver_comments: words } });
  await depot.replicateOnce(key);
};
const onHost = async ({ id }: RouteKey) =>
  (await depot.show('RTSTUP', `RURTE = '${id}'`)).map(({ RUCMT }) => String(RUCMT).trimEnd());

test('a database whose rows another one has written later reports it once a facility, and its own writes are skipped', async () => {
  await beginEpoch();
  const keys = [await depot.addRoute('TWICE', [1]), await depot.addRoute('AGAIN', [1])];
  for (const key of keys) for (const words of ['one', 'two', 'three']) await comment(key, words);
  await depot.compareAll();
  expect(await incidents()).toEqual([]);

  for (const key of keys) await changeDatabase(key);
  const [key] = keys;
  if (!key) throw new Error('two routes were added');
  await comment(key, 'of this database');
  expect(await onHost(key)).toEqual(['three']);
  await depot.compareAll();
  await depot.compareAll();
  expect(await incidents()).toEqual(['{"facility":"F01"}']);

  await beginEpoch();
  await comment(key, 'in a new epoch');
  expect(await onHost(key)).toEqual(['in a new epoch']);
});
