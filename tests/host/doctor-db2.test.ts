import { describe, expect, test } from 'vitest';
import { examine } from '../../server/src/host/doctor/examine.ts';
import { numberedEvents, numberOf, numberTriggerName, triggerName } from '../../server/src/host/files/triggers.ts';
import { hostFile, hostFileNames } from '../../server/src/host/files/tables.ts';
import { plainMap } from '../../server/src/host/files/library-map.ts';
import type { Host } from '../../server/src/host/host.ts';
import { createHost } from '../support/stand-in.ts';

// The doctor's questions to the catalogs of Db2 for i and Db2 LUW, on tables of the same names and columns in PostgreSQL.
// They show that the questions and their answers fit each other; no real catalog has been asked yet.

const { database, host } = await createHost();
const { pool } = database;
const saying = (part: string | RegExp): unknown =>
  part instanceof RegExp ? expect.stringMatching(part) : expect.stringContaining(part);

await pool.query(`
  create schema sysibm;
  create view sysibm.sysdummy1 as select 'Y'::char(1) as ibmreqd;
  create schema qsys2;
  create table qsys2.systriggers (event_object_schema text, event_object_table text, trigger_name text, enabled text, operative text);
  create table qsys2.journaled (objname text, journaled text, objattribute text);
  create function qsys2.object_statistics(varchar, varchar) returns setof qsys2.journaled language sql as 'select * from qsys2.journaled';
  create schema syscat;
  create table syscat.triggers (tabschema text, tabname text, trigname text, valid text);
  create table syscat.tablespaces (pagesize int, datatype text);
  insert into syscat.tablespaces values (4096, 'T'), (32768, 'T'), (65536, 'A');
  create table public.settings (hex text, txt text, lockwait text, isolation text);
  insert into PODDTA.FACMSTP (FAFAC, FATZ) values ('F01', 'Europe/Berlin')`);
for (const name of hostFileNames.filter((file) => numberOf(hostFile(file)) !== undefined)) {
  for (const event of numberedEvents) {
    const trigger = [name, numberTriggerName('db2i', name, event)];
    await pool.query(`insert into qsys2.systriggers values ('PODDTA', $1, $2, 'Y', 'Y')`, trigger);
    await pool.query(`insert into syscat.triggers values ('PODDTA', $1, $2, 'Y')`, trigger);
  }
}
for (const name of hostFileNames) {
  await pool.query(`insert into qsys2.journaled values ($1, 'YES', 'PF')`, [name]);
  for (const event of ['insert', 'update', 'delete'] as const) {
    await pool.query(`insert into qsys2.systriggers values ('PODDTA', $1, $2, 'Y', 'Y')`, [
      name,
      triggerName('db2i', name, event),
    ]);
    await pool.query(`insert into syscat.triggers values ('PODDTA', $1, $2, 'Y')`, [
      name,
      triggerName('db2', name, event),
    ]);
  }
}

const sample = 'é|[ß ñ^ä';
type Family = 'db2i' | 'db2';
/** PostgreSQL has no word for these: table functions of i, CCSID, special registers of Db2. */
function inPostgres(sql: string): string {
  return sql
    .replace(/table\((QSYS2\.OBJECT_STATISTICS\(.*?'FILE'\))\)/, '$1')
    .replace(
      /hex\(cast\(\? as varchar\(20\)(?: ccsid \d+)?\)\)/,
      'coalesce((select hex from public.settings), cast(? as text))',
    )
    .replace(/ ccsid \d+/g, '')
    .replace(' use currently committed', '')
    .replace('current lock timeout', '(select lockwait from public.settings)')
    .replace('current isolation', '(select isolation from public.settings)')
    .replace('current_timestamp - current_timezone', "cast(clock_timestamp() at time zone 'UTC' as timestamp)");
}
const hexOf = { db2i: '514FBA594049B043', db2: 'E97C5BDF20F15EE4' } as const;

/** A library with the setting CCSID, whose columns have the code page `columns`. */
interface Page {
  readonly setting: '37' | '273' | '1140';
  readonly columns: number;
}

async function examined(dialect: Family, { setting, columns }: Page = { setting: '37', columns: 37 }) {
  await pool.query('update public.settings set hex = coalesce(hex, $1)', [hexOf[dialect]]);
  const columnsOf: Host['describe'] = async (file) =>
    (await host.describe(file))?.map((column) => (column.ccsid === 37 ? { ...column, ccsid: columns } : column));
  const asDb2: Host = {
    ...host,
    dialect,
    map: plainMap.inCcsid(setting),
    describe: columnsOf,
    query: (sql, parameters) => host.query(inPostgres(sql), parameters),
  };
  return examine(asDb2, { changes: 'doorbell', live: true }, { now: () => new Date(), form: 'short' });
}
async function withSettings(values: { hex?: string; lockwait?: string; isolation?: string } = {}): Promise<void> {
  await pool.query('delete from public.settings');
  const { hex = null, lockwait = '3', isolation = ' ' } = values;
  await pool.query('insert into public.settings values ($1, $2, $3, $4)', [hex, sample, lockwait, isolation]);
}

test.each(['db2i', 'db2'] as const)('a %s that is set up as documented: GO', async (dialect) => {
  await withSettings();
  const { go, findings } = await examined(dialect);
  expect(findings.filter(({ level }) => level === 'no_go' || level === 'unknown')).toEqual([]);
  expect(go).toBe(true);
  const names = findings.map(({ check }) => check);
  expect(names).toEqual(expect.arrayContaining(['triggers', 'code-page', 'empty-text']));
  expect(names.includes('journal')).toBe(dialect === 'db2i');
  expect(names.includes('sort-space')).toBe(dialect === 'db2');
});

/** A fault, its repair, and the words of the doctor. */
const broken: [family: Family, check: string, breaks: string, repairs: string, says: string][] = [
  [
    'db2i',
    'triggers',
    `update qsys2.systriggers set enabled = 'N' where trigger_name = 'RTSTPPTU'`,
    `update qsys2.systriggers set enabled = 'Y'`,
    'disabled or inoperative: RTSTPP.RTSTPPTU',
  ],
  [
    'db2i',
    'triggers',
    `update qsys2.systriggers set operative = 'N' where trigger_name = 'RTHDRPTI'`,
    `update qsys2.systriggers set operative = 'Y'`,
    'RTHDRP.RTHDRPTI',
  ],
  [
    'db2',
    'triggers',
    `update syscat.triggers set valid = 'X' where trigname = 'CUSMSPTD'`,
    `update syscat.triggers set valid = 'Y'`,
    'CUSMSP.CUSMSPTD',
  ],
  [
    'db2i',
    'journal',
    `update qsys2.journaled set journaled = 'NO' where objname = 'RTSTUP'`,
    `update qsys2.journaled set journaled = 'YES'`,
    'without a journal: RTSTUP',
  ],
  [
    'db2',
    'sort-space',
    `delete from syscat.tablespaces where pagesize = 32768`,
    `insert into syscat.tablespaces values (32768, 'T')`,
    '4096 bytes',
  ],
];
test.each(broken)('NO-GO on %s: %s: %s', async (dialect, check, breaks, repairs, says) => {
  await withSettings();
  await pool.query(breaks);
  const { findings } = await examined(dialect);
  await pool.query(repairs);
  expect(findings.filter(({ level }) => level === 'no_go')).toMatchObject([{ check, says: saying(says) }]);
  expect((await examined(dialect)).go).toBe(true);
});

const wrong: [family: Family, check: string, settings: Parameters<typeof withSettings>[0], says: string][] = [
  ['db2i', 'code-page', { hex: 'C3A97C5BC39F20' }, 'reaches the host as C3A97C5BC39F20'],
  ['db2i', 'code-page', { hex: '51BB4A5940495F43' }, 'and not 514FBA594049B043'],
  ['db2', 'code-page', { hex: 'C3A97C5BC39F20C3B15EC3A4' }, 'and not E97C5BDF20F15EE4'],
  ['db2', 'lock-wait', { lockwait: '-1' }, 'without a limit'],
  ['db2', 'isolation', { isolation: 'RR' }, 'RR and not CS'],
];
test.each(wrong)('NO-GO on %s: %s with %o', async (dialect, check, settings, says) => {
  await withSettings(settings);
  const { findings } = await examined(dialect);
  expect(findings.filter(({ level }) => level === 'no_go')).toMatchObject([{ check, says: saying(says) }]);
});

test('NO-GO on db2: an empty text counts as null', async () => {
  await withSettings();
  const ora: Host = {
    ...host,
    dialect: 'db2',
    query: (sql, parameters) =>
      host.query(inPostgres(sql).replace("cast('' as varchar(1))", 'cast(null as varchar(1))'), parameters),
  };
  const { findings } = await examine(
    ora,
    { changes: 'doorbell', live: true },
    { now: () => new Date(), form: 'short' },
  );
  expect(findings.find(({ check }) => check === 'empty-text')).toMatchObject({ level: 'no_go' });
});

test('a catalog that does not answer as expected leaves its check open', async () => {
  await withSettings();
  await pool.query('alter table syscat.triggers rename to triggers_gone');
  const { go, findings } = await examined('db2');
  await pool.query('alter table syscat.triggers_gone rename to triggers');
  expect(findings.filter(({ level }) => level === 'unknown')).toMatchObject([
    { check: 'triggers', says: saying('the host does not tell the triggers: 42704') },
    { check: 'numbers', says: saying('the host does not tell the triggers: 42704') },
  ]);
  expect(go).toBe(true);
});

describe('the setting CCSID', () => {
  const codePage = async (page: Page, hex?: string) => {
    await withSettings(hex === undefined ? {} : { hex });
    return (await examined('db2i', page)).findings.find(({ check }) => check === 'code-page');
  };

  test('a library in the code page of the setting: GO, by the bytes of that page', async () => {
    expect(await codePage({ setting: '273', columns: 273 }, '51BB63A140495FC0')).toMatchObject({ level: 'go' });
    expect(await codePage({ setting: '1140', columns: 1140 })).toMatchObject({ level: 'go' });
    expect(await codePage({ setting: '273', columns: 273 }, '514FBA594049B043')).toMatchObject({
      level: 'no_go',
      says: saying('and not 51BB63A140495FC0'),
    });
  });

  test.each([
    [273, /^set CCSID=273$/],
    [65_535, /^alter the columns to CCSID 37: 65535 is never converted/],
    [290, /other code pages lack letters of phones/],
  ])('a library in %i with the setting 37: NO-GO with what to do', async (columns, todo) => {
    expect(await codePage({ setting: '37', columns })).toMatchObject({
      level: 'no_go',
      says: saying(`(${columns})`),
      todo: saying(todo),
    });
  });
});
