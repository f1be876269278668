import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { distributedFaults, statementsAmong, type SqlText } from './distributed-sql.ts';
import { readTree } from './source-file.ts';

const paths = [...readTree().keys()].filter((path) =>
  /^server\/src\/(.*[/-](sql|queries)|db\/shared-counters)\.ts$/.test(path),
);

async function statementsOf(path: string): Promise<SqlText[]> {
  const file = join(import.meta.dirname, '../..', path);
  const module: unknown = await import(/* @vite-ignore */ file);
  return statementsAmong(module, path);
}

const statements = (await Promise.all(paths.map(statementsOf))).flat();

describe('every statement is one that a distributed PostgreSQL takes', () => {
  test('the statements are found', () => {
    expect(statements.length).toBeGreaterThan(300);
    expect(statements.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['mutations_notify', 'lease_claim', 'auth_find_session', 'asset_charge_quota']),
    );
  });

  test('none breaks a rule', () => {
    expect(statements.flatMap(distributedFaults)).toEqual([]);
  });
});

describe('each rule finds its violation', () => {
  test.each([
    [`select pg_notify('a', $1) from route`, 'pg_notify'],
    [`with ended as (update session set a = 1 returning b) select pg_notify('a', b) from ended`, 'pg_notify'],
    [`insert into t (a) select $1 from set_config('synchronous_commit', 'off', true)`, 'pg_notify'],
    [`select pg_advisory_xact_lock(1) from route`, 'pg_notify'],
    [`insert into t (a) values (1) on conflict (a) do update set b = now()`, 'no now()'],
    [`insert into t (a) values (1) on conflict (a) do update set b = $2 returning a`, 'no parameter'],
    [
      `insert into t (a) values (1) on conflict (a) do update set b = excluded.b + interval '1 minute'`,
      'no sum with an interval',
    ],
    [`with gone as (delete from a) insert into t (a) select b from unnest($1::text[]) b`, 'two statements'],
    [`with kept as (select from t) select 1 from kept`, 'a target list has a column'],
    [`update t set a = concat_ws('/', b, c)`, 'no concat_ws'],
    [`update t set a = coalesce(a, now())`, 'a parameter'],
    [`with t (a, b) as (select 1, 2) select a from t`, 'named inside it'],
  ])('%s', (text, message) => {
    expect(distributedFaults({ name: 'x', text }).join('\n')).toContain(message);
  });

  test.each([
    `select pg_notify('a', scope) from unnest($1::text[]) as scope`,
    `select pg_advisory_xact_lock($1, hashtext($2))`,
    `insert into t (a, at) values ($1, now()) on conflict (a) do update set at = excluded.at returning $2`,
    `insert into t (a) values (1) on conflict (a) do update set b = later(excluded.b, interval '1 minute' * 2)`,
    `with gone as (delete from a), kept as (insert into t (a) select 1) select count(*) from b`,
    `select 1 from t where exists (select from s where s.a = t.a)`,
    `update t set a = case when b then $1 else now_used end`,
  ])('it accepts: %s', (text) => {
    expect(distributedFaults({ name: 'x', text })).toEqual([]);
  });
});
