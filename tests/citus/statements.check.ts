import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../server/src/db/migrate.ts';
import { atFileEnd } from '../support/file-end.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { allStatements, refusalOf } from './planned-statements.ts';

// All tables in one schema, which is one shard of the cluster. CITUS_URL is a superuser at the coordinator.

const coordinator = process.env['CITUS_URL'] ?? '';
const name = `tailgate_${randomBytes(3).toString('hex')}`;

beforeAll(async () => {
  const admin = new pg.Client({ connectionString: coordinator });
  await admin.connect();
  atFileEnd(async () => {
    await admin.query(`drop schema if exists ${name} cascade`);
    await admin.query(`drop role if exists ${name}`);
    await admin.end();
  });
  await admin.query(`create role ${name} login superuser password 'of-a-test'`);
  await admin.query(`alter role ${name} set search_path = ${name}`);
  await admin.query(`create schema ${name}`);
  await migrate(addressOfRole(), recordedLog());
  for (const table of ['event_window', 'sign_in_failure']) await admin.query(`alter table ${name}.${table} set logged`);
  await admin.query(`select citus_schema_distribute('${name}')`);
});

function addressOfRole(): string {
  const url = new URL(coordinator);
  [url.username, url.password] = [name, 'of-a-test'];
  return url.href;
}

describe('a schema that is one shard of a Citus cluster', () => {
  test('the planner takes every statement of the server', async () => {
    const client = new pg.Client({ connectionString: addressOfRole() });
    await client.connect();
    try {
      const refused: string[] = [];
      for (const statement of await allStatements()) {
        const refusal = await refusalOf(client, statement);
        if (refusal !== undefined) refused.push(refusal);
      }
      expect(refused).toEqual([]);
    } finally {
      await client.end();
    }
  });
});
