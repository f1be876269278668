import pg from 'pg';
import { inject } from 'vitest';
import { atFileEnd } from '../support/file-end.ts';
import type { TestDatabase } from '../support/postgres.ts';

/** A file-level copy of a database without other sessions. @returns the function that restores it, once */
export async function backUp({ name, url }: TestDatabase): Promise<() => Promise<void>> {
  const copy = `${name}_backup`;
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  atFileEnd(async () => {
    await admin.query(`drop database if exists ${copy}`);
    await admin.end();
  });
  // Idle sessions, such as the test's own, would block the copy; the test opens new ones.
  const clear = () =>
    admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      new URL(url).pathname.slice(1),
    ]);
  await clear();
  await admin.query(`create database ${copy} template ${name}`);
  return async () => {
    await clear();
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`alter database ${copy} rename to ${name}`);
  };
}
