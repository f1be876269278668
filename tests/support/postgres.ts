import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import pg from 'pg';
import { expect, inject } from 'vitest';
import { migrate } from '../../server/src/db/migrate.ts';
import { createPool } from '../../server/src/db/pool.ts';
import { atFileEnd } from './file-end.ts';
import { recordedLog } from './recorded-log.ts';

export interface TestDatabase {
  name: string;
  url: string;
  pool: pg.Pool;
  /** Closes the pool and deletes the database. Not needed at the end of a file: that happens by itself. */
  drop(): Promise<void>;
}

const TEMPLATE = 'tailgate_template';
const TEMPLATE_LOCK = 1;
/**
 * Copies the template's files unchanged: a tenth of the CPU (13 against 124 ms) of PostgreSQL's default, which also
 * writes all pages to the WAL.
 */
const COPIED = 'strategy file_copy';

/**
 * A new database with all migrations, copied from a template. It is dropped at the end of the test file. If a test has
 * failed it remains, and its name is printed. `empty`: without migrations.
 */
export async function createDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const file = basename(expect.getState().testPath ?? 'unknown')
    .replace(/\..*/, '')
    .replaceAll(/\W/g, '_');
  const name = `test_${file.slice(0, 40)}_${randomBytes(4).toString('hex')}`.toLowerCase();
  await asAdministrator(async (admin) => {
    if (!options.empty) await ensureTemplate(admin);
    await admin.query(`create database ${name} template ${options.empty ? 'template0' : TEMPLATE} ${COPIED}`);
  });
  const url = addressOf(name);
  // Pipelined as the pipeline's own connections are.
  const pool = createPool({ url, name: 'test', log: recordedLog(), pipelined: true });
  let dropped = false;
  const drop = async () => {
    if (dropped) return;
    await closePool(pool);
    await asAdministrator((admin) => admin.query(`drop database ${name} with (force)`));
    dropped = true;
  };
  atFileEnd(async (failed) => {
    if (!failed || dropped) return drop();
    console.log(`kept database ${name}`);
    await closePool(pool);
  });
  return { name, url, pool, drop };
}

/** The first file that needs it makes it; others wait. It has another name until it is complete. */
async function ensureTemplate(admin: pg.Client): Promise<void> {
  await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [TEMPLATE]);
    if (rowCount) return;
    const draft = `${TEMPLATE}_draft`;
    await admin.query(`drop database if exists ${draft} with (force)`);
    await admin.query(`create database ${draft} template template0`);
    await migrate(addressOf(draft), recordedLog());
    await admin.query(`alter database ${draft} rename to ${TEMPLATE}`);
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
}

async function asAdministrator(work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}

function addressOf(database: string): string {
  return inject('postgresUrl').replace(/\/postgres$/, `/${database}`);
}

/** `pool.end()` would wait for ever for a connection that a test has taken and not released. */
async function closePool(pool: pg.Pool): Promise<void> {
  if (pool.ended) return;
  const acquired = pool.totalCount - pool.idleCount;
  if (acquired > 0) throw new Error(`${acquired} connection(s) of the test’s pool were not released`);
  await pool.end();
}
