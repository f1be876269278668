import { beforeAll, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

// I12, checked in PostgreSQL's own catalog: a database that is partitioned by facility can have a unique key only where
// the facility is part of it, and can refer to another table only within one facility (docs/scaling.md).

/** Tables with a facility whose rows belong to another subject. */
const notOfARoute = new Map([
  ['invitation', 'belongs to sign-up: for one employee or a depot, and asked for by its code'],
  ['evidence_link', 'belongs to its recipient: asked for by its secret alone'],
  ['employee', 'master data of the whole company: copied to every node'],
  ['quarantine', 'belongs to a queue: what it holds may name no route, or a wrong one'],
  ['operator_act', 'belongs to its operator: most acts are on queues, phones and accounts, and name no facility'],
  ['request_key', 'belongs to its author: the facility is part of the answer, not of the request'],
]);

let database: TestDatabase;
const ask = async (statement: string): Promise<string[]> =>
  (await database.pool.query<{ name: string }>(statement)).rows.map(({ name }) => name);

const ours = `select c.oid, c.relname from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')`;
const withFacility = `select t.oid, t.relname from (${ours}) t
  where exists (select 1 from pg_attribute a where a.attrelid = t.oid and a.attname = 'facility' and not a.attisdropped)`;

beforeAll(async () => {
  database = await createDatabase();
});

test('every table that names a route has its facility', async () => {
  const nameless = await ask(
    `select t.relname as name from (${ours}) t join pg_attribute a on a.attrelid = t.oid and a.attname = 'route_id'
      where t.oid not in (select oid from (${withFacility}) f)`,
  );
  expect(nameless).toEqual([]);
});

test('the exceptions are existing tables', async () => {
  const tables = await ask(`select relname as name from (${withFacility}) t`);
  expect(tables).toEqual(expect.arrayContaining([...notOfARoute.keys()]));
  expect(tables).toContain('ledger');
});

test('every unique key of a route’s tables contains the facility, and every primary key begins with it', async () => {
  const keys = await ask(
    `select t.relname || ': ' || i.indexrelid::regclass as name
       from (${withFacility}) t
       join pg_index i on i.indrelid = t.oid and i.indisunique
       join pg_attribute a on a.attrelid = t.oid and a.attname = 'facility'
      where case when i.indisprimary then i.indkey[0] <> a.attnum
                 else a.attnum <> all (i.indkey::int2[]) end
      order by 1`,
  );
  expect(keys.filter((key) => !notOfARoute.has(key.replace(/:.*/, '')))).toEqual([]);
});

test('every foreign key of a route’s tables contains the facility', async () => {
  const references = await ask(
    `select k.conname as name from pg_constraint k
      where k.contype = 'f'
        and (k.conrelid in (select oid from (${withFacility}) t) or k.confrelid in (select oid from (${withFacility}) t))
        and not exists (select 1 from pg_attribute a
                         where a.attrelid = k.conrelid and a.attname = 'facility' and a.attnum = any (k.conkey))`,
  );
  expect(references).toEqual([]);
});

test('no sequence or identity counts across facilities', async () => {
  expect(
    await ask(`select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S'`),
  ).toEqual([]);
});
