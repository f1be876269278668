import pg from 'pg';
import { StartError } from '../runtime/start-error.ts';

/**
 * The processes that use an embedded PostgreSQL. Each has one session with a shared lock for as long as it needs the
 * database. A process that gets the exclusive lock is alone and may stop PostgreSQL. Locks end with their process, so
 * no count can be wrong after a crash.
 */
const TENANTS_LOCK = 7_483_920_002;
/** First half of the locks of roles that only one process per data folder may have; the second names the role. */
const PARTS_LOCK = 748_392;

/** The session of a killed process lasts some milliseconds longer than the process. */
const PART_WAIT_MS = 1_000;

export type PostgresUser = pg.Client;

export async function acquire(url: string, name: string): Promise<PostgresUser> {
  const user = new pg.Client({ connectionString: url, application_name: name, connectionTimeoutMillis: 10_000 });
  // Later failures arrive as the `end` event; without a listener for errors the process would end.
  user.on('error', () => undefined);
  try {
    await user.connect();
    // Waits while the last user stops PostgreSQL; then the session breaks and the caller starts PostgreSQL again.
    await user.query('select pg_advisory_lock_shared($1)', [TENANTS_LOCK]);
    return user;
  } catch (error) {
    await user.end().catch(() => undefined);
    throw error;
  }
}

/** True: no other process uses PostgreSQL, none can join any more, and it may be stopped. */
export async function release(user: PostgresUser): Promise<boolean> {
  await user.query('select pg_advisory_unlock_shared($1)', [TENANTS_LOCK]);
  try {
    const { rows } = await user.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [TENANTS_LOCK]);
    return rows[0]?.alone === true;
  } catch {
    // Another process that leaves at the same moment has the lock and stops PostgreSQL. Otherwise the next start joins
    // the running one.
    return false;
  }
}

/** Takes the roles (`api`, `worker`) that only one process may have on this data folder. */
export async function takeParts(user: PostgresUser, parts: readonly string[], dataDir: string): Promise<void> {
  await user.query(`set lock_timeout = ${PART_WAIT_MS}`);
  for (const part of parts) {
    try {
      await user.query('select pg_advisory_lock($1, hashtext($2))', [PARTS_LOCK, part]);
    } catch (cause) {
      if (!(cause instanceof pg.DatabaseError) || cause.code !== '55P03') throw cause;
      const other = await playerOf(user, part);
      throw new StartError(
        `${other} already runs on ${dataDir}: stop it first, or give this one a folder and a port of its own ` +
          '(DATA_DIR=.data2 PORT=3001 npm start)',
        { cause },
      );
    }
  }
  await user.query('reset lock_timeout');
}

async function playerOf(user: PostgresUser, part: string): Promise<string> {
  const { rows } = await user.query<{ name: string }>(
    `select application_name as name
       from pg_locks join pg_stat_activity using (pid)
      where locktype = 'advisory' and granted and objsubid = 2
        and classid = $1 and objid = (hashtext($2)::bigint & 4294967295)::oid`,
    [PARTS_LOCK, part],
  );
  return rows[0]?.name ?? 'another Tailgate';
}

export async function ensureDatabase(user: PostgresUser, name: string): Promise<void> {
  const { rowCount } = await user.query('select from pg_database where datname = $1', [name]);
  if (rowCount) return;
  try {
    await user.query(`create database ${user.escapeIdentifier(name)}`);
  } catch (error) {
    // Another process made it in between; the kind of error depends on the timing.
    const exists = error instanceof pg.DatabaseError && (error.code === '42P04' || error.code === '23505');
    if (!exists) throw error;
  }
}
