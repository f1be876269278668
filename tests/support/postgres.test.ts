import pg from 'pg';
import { expect, test } from 'vitest';
import { migrationsFolder, readMigrations } from '../../server/src/db/migrate.ts';
import { createDatabase } from './postgres.ts';

test('each database is a fresh copy with all migrations, named for its file', async () => {
  const [one, other] = await Promise.all([createDatabase(), createDatabase()]);
  const { rows } = await one.pool.query('select name from schema_migration order by number');
  expect(rows).toEqual((await readMigrations(migrationsFolder)).map(({ name }) => ({ name })));
  await one.pool.query('create table only_here ()');
  const found = await other.pool.query(`select to_regclass('only_here') as found`);
  expect(found.rows).toEqual([{ found: null }]);
  expect(one.name).toMatch(/^test_postgres_[0-9a-f]{8}$/);
});

test('a dropped one is gone', async () => {
  const database = await createDatabase({ empty: true });
  await database.drop();
  const late = new pg.Client({ connectionString: database.url });
  await expect(late.connect()).rejects.toMatchObject({ code: '3D000' });
});

test('an unreleased connection of a test is reported instead of waited for', async () => {
  const database = await createDatabase({ empty: true });
  const connection = await database.pool.connect();
  await expect(database.drop()).rejects.toThrow('1 connection(s) of the test’s pool were not released');
  connection.release();
  await database.drop();
});
