import { expect, test } from 'vitest';
import { createDatabase } from '../support/postgres.ts';
import { startServer } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

test('a server under which the database fails over ends by itself, and the next start names the remedy', async () => {
  const { pool, url } = await createDatabase();
  const server = await startServer({ DATABASE_URL: url, DATA_DIR: await temporaryFolder() });
  const ended = server.ended();
  // As after a promoted standby: PostgreSQL is on another timeline than the recorded one, and every connection is new.
  await pool.query('update server_epoch set timeline = 7');
  await pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'tailgate listen'`,
  );
  expect(await ended).toBe(1);
  const says = /this database has been restored or failed over \(PostgreSQL is on timeline 1, it was on 7\)/;
  expect(server.output).toMatch(new RegExp(`Tailgate cannot go on\\. ${says.source}`));
  await expect(server.start()).rejects.toThrow(says);
}, 60_000);
