import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../runtime/log.ts';
import { reasonOf, StartError } from '../runtime/start-error.ts';
import { cellNumber } from './cell.ts';
import { connectDirectly } from './direct-connection.ts';
import { statementsOf } from './sql-statements.ts';
import { isCollision, sqlStateOf } from './sqlstate.ts';
import type { Queryable } from './types.ts';

export interface Migration {
  number: number;
  name: string;
  sql: string;
  sha256: string;
}

interface AppliedMigration {
  number: number;
  name: string;
  sha256: string;
}

export const migrationsFolder = join(import.meta.dirname, '../../migrations');

/** The key of the lock that lets one server at a time migrate. All versions of the server use the same one. */
const MIGRATION_LOCK = 7_483_920_001;

const OLDEST_SERVER = 180_000;

/** A statement that waits for a lock holds up all later users of its table: it gives way after this long, and tries again. */
const LOCK_WAIT_MS = 3_000;
const LOCK_PAUSE_MS = 1_000;
const LOCK_ATTEMPTS = 60;

/**
 * Applies the files of `folder` that are missing, one transaction each, and returns their names. Servers that start
 * together wait for each other. An applied file never changes. Unknown migrations stay: each is safe with the version
 * before it.
 */
export async function migrate(url: string, log: Log, folder = migrationsFolder): Promise<string[]> {
  const migrations = await readMigrations(folder);
  // A connection of its own, because the wait for another server's migration exceeds the pool's timeouts.
  const client = await connectDirectly(url, 'tailgate migrate');
  try {
    await refuseOldServer(client);
    await client.query(`select pg_advisory_lock($1::bigint + ${cellNumber})`, [MIGRATION_LOCK]);
    const pending = pendingMigrations(migrations, await readApplied(client), log);
    for (const migration of pending) await apply(client, migration, log);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

export async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const numbers = names.map((name) => Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]));
  return Promise.all(
    names.map(async (name, index) => {
      // Parallel branches reserve numbers: gaps are possible, but a number is unique.
      const [before = 0, number = NaN] = [numbers[index - 1], numbers[index]];
      if (!(number > before)) {
        throw new StartError(
          `migration ${name} should be named ${String(before + 1).padStart(4, '0')}_verb_object.sql`,
        );
      }
      // A checkout on Windows may have other line ends, which is no change.
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      return { number, name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    `select to_regclass('schema_migration') is not null as exists`,
  );
  // Checked first: `if not exists` needs the right to create as well (docs/security.md, roles).
  if (!found[0]?.exists) {
    await client
      .query(
        `create table schema_migration (
           number integer primary key,
           name text not null,
           sha256 text not null,
           applied_at timestamptz not null default now()
         )`,
      )
      .catch(refuse('schema_migration cannot be created'));
  }
  const { rows } = await client.query<AppliedMigration>(
    'select number, name, sha256 from schema_migration order by number',
  );
  return rows;
}

function pendingMigrations(migrations: Migration[], applied: AppliedMigration[], log: Log): Migration[] {
  const knownByNumber = new Map(migrations.map((migration) => [migration.number, migration]));
  for (const { number, name, sha256 } of applied) {
    const known = knownByNumber.get(number);
    if (!known) log.warn({ migration: name }, 'the database is newer than this version of the server');
    else if (known.sha256 !== sha256) {
      throw new StartError(
        `migration ${known.name} differs from the one this database got (${name}): released migrations never change, ` +
          'add a new one; on a trial machine delete DATA_DIR',
      );
    }
  }
  const done = new Set(applied.map(({ number }) => number));
  return migrations.filter(({ number }) => !done.has(number));
}

async function apply(client: pg.Client, migration: Migration, log: Log): Promise<void> {
  const { name } = migration;
  for (let attempt = 1; ; attempt++) {
    try {
      return await applyOnce(client, migration);
    } catch (cause) {
      await client.query('rollback').catch(() => undefined);
      if (!isCollision(cause) || attempt === LOCK_ATTEMPTS)
        refuse(`migration ${name} failed and was rolled back`)(cause);
      if (attempt === 1)
        log.warn({ migration: name }, 'a migration waits for transactions of others, and lets them pass');
      await delay(LOCK_PAUSE_MS);
    }
  }
}

async function applyOnce(client: pg.Client, { number, name, sql, sha256 }: Migration): Promise<void> {
  await client.query('begin');
  await client.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
  for (const statement of statementsOf(sql)) await client.query(statement);
  await client.query('insert into schema_migration (number, name, sha256) values ($1, $2, $3)', [number, name, sha256]);
  await client.query('commit');
}

/** Reports the failed step, and how another role can do it. */
const refuse =
  (what: string) =>
  (cause: unknown): never => {
    const mayNot = sqlStateOf(cause) === '42501';
    const way = mayNot ? '; run `npm run migrate` with DATABASE_URL of the role that owns the tables' : '';
    throw new StartError(`${what}: ${reasonOf(cause)}${way}`, { cause });
  };

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: number; version: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version`,
  );
  const [server] = rows;
  if (server && server.number < OLDEST_SERVER) {
    throw new StartError(`PostgreSQL 18 or newer is needed, DATABASE_URL leads to ${server.version}`);
  }
}

/** Whether a schema is there already: `create schema if not exists` asks for the right to make it all the same. */
export async function hasSchema(db: Queryable, name: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>('select to_regnamespace($1) is not null as found', [name]);
  return rows[0]?.found ?? false;
}
