import { expect, test } from 'vitest';
import { columnsQuery } from '../../server/src/host/db2/catalog.ts';
import { databasePageQuery, probeQuery } from '../../server/src/host/db2/code-page.ts';
import { db2Additions, db2Comparison, db2Script } from '../../server/src/host/db2/ddl.ts';
import { authorityProbes, probesOf } from '../../server/src/host/doctor/authorities.ts';
import { factQueries } from '../../server/src/host/doctor/fact-queries.ts';
import { shapes } from '../../server/src/host/files/in-shapes.ts';
import { additionsSince } from '../../server/src/host/files/layout.ts';
import { plainMap } from '../../server/src/host/files/library-map.ts';
import { comparisonStatements } from '../../server/src/ops/shadow/comparison-table.ts';
import { refusedByH2 } from './h2.ts';
import { statementsOf } from './host-statements.ts';
import { layout1Of, statementsIn, withoutDb2 } from './scripts.ts';

// A second grammar for the SQL of the host: H2 in its mode for Db2 prepares what PostgreSQL has run in all other tests.

type Db2Dialect = 'db2' | 'db2i';
const families = ['db2', 'db2i'] as const;

const placeOf = (dialect: Db2Dialect, library: string) => ({ dialect, library, map: plainMap });
const explained = (statements: readonly string[]) => statements.map((statement) => `explain ${withoutDb2(statement)}`);

test.each(families)('%s: H2 makes the files, and prepares every statement', async (dialect) => {
  const { run, left } = statementsIn(db2Script(dialect, 'PODDTA'), dialect);
  expect(run.filter((statement) => statement.startsWith('create table'))).toHaveLength(26);
  const probes = authorityProbes(placeOf(dialect, 'PODDTA')).map(({ sql }) => sql);
  const statements = explained([...(await statementsOf(dialect)), ...probes]);
  const prepared = statements.filter((statement) => !/^explain (select|update|insert|delete|merge) /.test(statement));
  expect(prepared).toEqual([]);
  expect(statements.length).toBeGreaterThan(300);
  const refused = await refusedByH2(['create schema PODDTA', ...run, ...statements]);
  expect(refused).toEqual([]);
  process.stdout.write(
    `${dialect}: ${run.length} of ${run.length + left.length} statements of the script run, ${statements.length} prepared\n`,
  );
});

test.each(families)('%s: H2 brings a library of layout 1 to the present one (ddl --from 1)', async (dialect) => {
  const earlier = layout1Of(statementsIn(db2Script(dialect, 'PODOLD'), dialect).run);
  const { run } = statementsIn(db2Additions(placeOf(dialect, 'PODOLD'), 1), dialect);
  expect(run.filter((statement) => statement.startsWith('alter table'))).not.toEqual([]);
  const added = additionsSince(1).map(
    ({ file, columns = ['*'] }) => `select ${columns.join(', ')} from PODOLD.${file}`,
  );
  const before = await refusedByH2(['create schema PODOLD', ...earlier, ...explained(added)]);
  expect(before).toHaveLength(added.length);
  expect(await refusedByH2(['create schema PODOLD', ...earlier, ...run, ...explained(added)])).toEqual([]);
});

test.each(families)(
  '%s: H2 makes the table of the comparison (ddl --comparison), and prepares its statements',
  async (dialect) => {
    const place = placeOf(dialect, 'PODSHD');
    const { run } = statementsIn(db2Comparison(place), dialect);
    const { put, drop, routes } = comparisonStatements(place);
    const probes = probesOf(place, 'PODSHDP').map(({ sql }) => sql);
    const statements = explained([...shapes.map((count) => put(count).sql), drop, routes, ...probes]);
    expect(await refusedByH2(['create schema PODSHD', ...run, ...statements])).toEqual([]);
  },
);

/** What H2 has no words for: a function that is a table, special registers. */
const ofDb2Alone = { db2i: ['unjournaled', 'clock'], db2: ['session', 'clock'] };

test.each(families)('%s: H2 prepares the questions to the catalog', async (dialect) => {
  const { triggers, sample, emptyIsNull, sortPage } = factQueries[dialect];
  const asked = { triggers, sample: sample?.('37'), emptyIsNull, sortPage };
  const left = Object.keys(factQueries[dialect]).filter((name) => !Object.hasOwn(asked, name));
  expect(left).toEqual(ofDb2Alone[dialect]);
  const texts = Object.values(asked).filter((text) => text !== undefined);
  const catalog = {
    db2: [
      'create schema SYSCAT',
      'create table SYSCAT.TRIGGERS (TABSCHEMA varchar(128), TABNAME varchar(128), TRIGNAME varchar(128), VALID char(1))',
      'create table SYSCAT.TABLESPACES (DATATYPE char(1), PAGESIZE integer)',
      'create table SYSCAT.COLUMNS (TABSCHEMA varchar(128), TABNAME varchar(128), COLNAME varchar(128), COLNO smallint, TYPENAME varchar(128), LENGTH integer, SCALE smallint, NULLS char(1), CODEPAGE smallint)',
    ],
    db2i: [
      'create schema QSYS2',
      'create table QSYS2.SYSTRIGGERS (EVENT_OBJECT_SCHEMA varchar(128), EVENT_OBJECT_TABLE varchar(128), TRIGGER_NAME varchar(128), ENABLED char(1), OPERATIVE char(1))',
      'create table QSYS2.SYSCOLUMNS (TABLE_SCHEMA varchar(128), TABLE_NAME varchar(128), COLUMN_NAME varchar(128), ORDINAL_POSITION integer, DATA_TYPE varchar(8), LENGTH integer, NUMERIC_SCALE integer, IS_NULLABLE char(1), CCSID integer)',
    ],
  };
  // H2 has no HEX; a function of Java gives it the name.
  const hex = 'create alias HEX for "org.h2.util.StringUtils.toUpperEnglish"';
  const others = [columnsQuery(dialect), probeQuery(dialect), ...(dialect === 'db2' ? [databasePageQuery] : [])];
  expect(await refusedByH2([...catalog[dialect], hex, ...explained([...texts, ...others])])).toEqual([]);
});

test('H2 does refuse: an unknown column, a missing cast’s type, a clause of PostgreSQL alone', async () => {
  const wrong = [
    'explain select RUNOPE from PODDTA.RTSTUP',
    'explain select cast(? as text[]) from PODDTA.RTSTUP for no key update',
    'explain insert into PODDTA.RTSTUP (RUFAC) values (?) on conflict do nothing',
  ];
  const files = statementsIn(db2Script('db2', 'PODDTA'), 'db2').run;
  const refused = await refusedByH2(['create schema PODDTA', ...files, ...wrong]);
  expect(refused.map(({ statement }) => statement.slice(0, 30))).toHaveLength(wrong.length);
});
