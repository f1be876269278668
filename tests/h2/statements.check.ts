import { expect, test } from 'vitest';
import { db2Script } from '../../server/src/host/db2/ddl.ts';
import { refusedByH2 } from './h2.ts';
import { statementsOf } from './host-statements.ts';

// A second grammar for the SQL of the host: H2 in its mode for Db2 prepares what PostgreSQL has run in all other tests.

/** The statements of the script that H2 can run; the others are of Db2 alone, and counted. */
function scriptFor(dialect: 'db2' | 'db2i'): { run: string[]; left: string[] } {
  const all = unwrapped(db2Script(dialect, 'PODDTA'))
    .replaceAll(/^--.*$/gm, '')
    .split(dialect === 'db2' ? '@\n' : /;\n(?!\s*end)/)
    .map((statement) => statement.trim().replace(/;$/, ''))
    .filter((statement) => statement !== '');
  const isOfDb2 = (statement: string): boolean =>
    // Bodies of triggers, labels of many columns, and grants of columns are no part of H2’s grammar.
    /^(create or replace trigger|label on|comment on PODDTA|grant|insert into PODDTA\.PODCHGP|call QSYS2|end if|if |end$)/.test(
      statement,
    );
  return { run: all.filter((statement) => !isOfDb2(statement)).map(plain), left: all.filter(isOfDb2) };
}

/** Statements that go on where their object exists, as they are inside. */
const unwrapped = (script: string): string =>
  script.replaceAll(
    /^begin\n {2}declare continue handler for sqlstate '\w+' begin end;\n {2}execute immediate '((?:[^']|'')*)';\nend/gm,
    (_, inner: string) => inner.trim().replaceAll("''", "'"),
  );

/** Without the clauses that only Db2 has. */
const plain = (statement: string): string =>
  statement.replaceAll(
    / ccsid 37| rcdfmt \w+| use currently committed| skip locked data| generated always for each row on update as row change timestamp/g,
    '',
  );

test.each(['db2', 'db2i'] as const)('%s: H2 makes the files, and prepares every statement', async (dialect) => {
  const { run, left } = scriptFor(dialect);
  expect(run.filter((statement) => statement.startsWith('create table'))).toHaveLength(26);
  const statements = (await statementsOf(dialect)).map((statement) => `explain ${plain(statement)}`);
  const prepared = statements.filter((statement) => !/^explain (select|update|insert|delete|merge) /.test(statement));
  expect(prepared).toEqual([]);
  expect(statements.length).toBeGreaterThan(200);
  const refused = await refusedByH2(['create schema PODDTA', ...run, ...statements]);
  expect(refused).toEqual([]);
  process.stdout.write(
    `${dialect}: ${run.length} of ${run.length + left.length} statements of the script run, ${statements.length} prepared\n`,
  );
});

test('H2 does refuse: an unknown column, a missing cast’s type, a clause of PostgreSQL alone', async () => {
  const wrong = [
    'explain select RUNOPE from PODDTA.RTSTUP',
    'explain select cast(? as text[]) from PODDTA.RTSTUP for no key update',
    'explain insert into PODDTA.RTSTUP (RUFAC) values (?) on conflict do nothing',
  ];
  const refused = await refusedByH2(['create schema PODDTA', ...scriptFor('db2').run, ...wrong]);
  expect(refused.map(({ statement }) => statement.slice(0, 30))).toHaveLength(wrong.length);
});
