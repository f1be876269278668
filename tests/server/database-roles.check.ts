import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { operations } from '@tailgate/sync-protocol';
import pg from 'pg';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { atFileEnd } from '../support/file-end.ts';
import { password } from '../support/people.ts';
import { createDatabase } from '../support/postgres.ts';
import { RestClient } from '../support/rest-client.ts';
import { ServerProcess, startServer } from '../support/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { weekEndOf } from '../../server/src/demo/routes.ts';
import { untilRouteReceived } from '../support/until-route-received.ts';

// docs/security.md, "Two roles of the database": the recipe, executed on a real PostgreSQL.

const server = join(import.meta.dirname, '../../server');
const roles = { owner: 'tailgate_owner', app: 'tailgate_app' };
const secret = 'of-a-test';

let urlOf: (role: string) => string;
let env: Record<string, string>;
let superuser: pg.Pool;

beforeAll(async () => {
  const admin = new pg.Client({ connectionString: inject('postgresUrl') });
  await admin.connect();
  // Hooks run in reverse order: the databases go first, then their owner.
  atFileEnd(async () => {
    for (const role of Object.values(roles)) await admin.query(`drop role if exists ${role}`);
    await admin.end();
  });
  const [database, library] = [await createDatabase({ empty: true }), await createDatabase({ empty: true })];
  superuser = database.pool;
  await superuser.query(await readFile(join(server, 'deploy/roles.sql'), 'utf8'));
  for (const role of Object.values(roles)) await superuser.query(`alter role ${role} password '${secret}'`);
  urlOf = (role) => {
    const url = new URL(database.url);
    [url.username, url.password] = [role, secret];
    return url.href;
  };
  env = {
    DATABASE_URL: urlOf(roles.app),
    LEGACY_URL: library.url,
    DATA_DIR: await temporaryFolder(),
    HOST_POLL_SECONDS: '1',
    DEMO: '1',
  };
});

const migrate = (url: string) => {
  const args = ['--conditions=source', join(server, 'bin/migrate.ts')];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    env: { DATABASE_URL: url },
    encoding: 'utf8',
  });
  return { status, output: `${stdout}${stderr}` };
};

describe('two roles of the database', () => {
  test('a server without the right to create tables stops and names the owner’s command', async () => {
    const tooEarly = new ServerProcess({ ...env, PORT: '0' });
    await expect(tooEarly.start()).rejects.toThrow('npm run migrate');
    const refused = migrate(urlOf(roles.app));
    expect(refused.status).toBe(1);
    expect(refused.output).toContain('npm run migrate');
  });

  test('the owner creates the tables once', () => {
    const first = migrate(urlOf(roles.owner));
    expect(first.status).toBe(0);
    expect(first.output).toContain('0001_create_mirror');
    expect(migrate(urlOf(roles.owner)).output).toContain('The tables are up to date.');
  });

  test('servers do all of their work with rows alone', async () => {
    const { url } = await startServer(env);
    const client = new RestClient(url);
    const signed = await client.take(operations.signUp, { body: { employee_id: '1001', password } });
    const as = { employee_id: '1001', api_token: signed.api_token };
    await untilRouteReceived(url, as);
    const body = {
      id: 'R100',
      facility: 'F01',
      week_end: weekEndOf(new Date()),
      stops: [{ id: 1, updates: { status: 'D' } }],
    };
    expect(await client.take(operations.syncStops, { as, body })).toMatchObject({ stops: [{ result: 'applied' }] });
    const isLogged = async () =>
      (await superuser.query(`select from log_leaf where facility = 'F01' and kind = 'mutation'`)).rowCount;
    await expect.poll(isLogged, { timeout: 60_000 }).toBe(1);
    expect(await client.take(operations.readiness)).toMatchObject({ database: { ok: true } });
  });

  test.each([
    'drop table ledger',
    'truncate ledger',
    'alter table account add column mine text',
    'create table mine (id integer)',
    'create schema mine',
    `create function ledger_note() returns trigger language plpgsql as 'begin end'`,
    'drop schema public cascade',
    'delete from log_leaf',
    `update log_leaf set entry = ''`,
    'delete from log_tile',
    'delete from log_key',
    'delete from log',
    'delete from legal_hold',
    `alter role tailgate_owner password 'mine'`,
    `copy (select 1) to program 'id'`,
    `select pg_read_file('/etc/passwd')`,
  ])('servers may do nothing else: %s', async (statement) => {
    const app = new pg.Client({ connectionString: urlOf(roles.app) });
    await app.connect();
    await expect(app.query(statement)).rejects.toMatchObject({ code: '42501' });
    await app.end();
  });

  test('no other role may connect to the database', async () => {
    await superuser.query(`create role tailgate_stranger login password '${secret}'`);
    const otherRole = new pg.Client({ connectionString: urlOf('tailgate_stranger') });
    await expect(otherRole.connect()).rejects.toMatchObject({ code: '42501' });
    await superuser.query('drop role tailgate_stranger');
  });
});
