import { expect, test } from 'vitest';
import { isDistributed } from '../../server/src/db/distributed.ts';
import { createDatabase } from '../support/postgres.ts';

test('a server finds that its schema is a shard in the catalog of Citus', async () => {
  const { pool } = await createDatabase({ empty: true });
  expect(await isDistributed(pool)).toBe(false);
  // The catalog as Citus has it, with another schema, and with the one of the server.
  await pool.query('create table pg_dist_schema (schemaid oid, colocationid int)');
  await pool.query(`insert into pg_dist_schema values ('pg_toast'::regnamespace, 1)`);
  expect(await isDistributed(pool)).toBe(false);
  await pool.query(`insert into pg_dist_schema values ('public'::regnamespace, 2)`);
  expect(await isDistributed(pool)).toBe(true);
});
