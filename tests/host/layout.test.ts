import { expect, test } from 'vitest';
import { openHost } from '../../server/src/host/connection/open.ts';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { examine } from '../../server/src/host/doctor/examine.ts';
import { sendEveryStatement } from '../../server/src/host/exercise/every-statement.ts';
import { allColumnsOf } from '../../server/src/host/files/columns.ts';
import { dialects } from '../../server/src/host/files/dialect.ts';
import { laterColumns, layoutVersion } from '../../server/src/host/files/layout.ts';
import { hostFile, hostFileNames } from '../../server/src/host/files/tables.ts';
import { CommandError, parsePrintCommand, printed } from '../../server/src/host/tools/cli.ts';
import { rowFit } from '../../server/src/replication/to-host/row-fit.ts';
import { statementsOf } from '../h2/host-statements.ts';
import { createDatabase } from '../support/postgres.ts';
import { recordedLog } from '../support/recorded-log.ts';

// The scripts between two layouts of the library.

const print = (...argv: string[]) => {
  const command = parsePrintCommand(argv);
  if (!command) throw new Error('that prints nothing');
  return printed(command, 'PODDTA');
};

/** Files and columns that a script creates or adds. */
function namesIn(script: string): Set<string> {
  const names = new Set<string>();
  for (const [, file = '', body = ''] of script.matchAll(/create table PODDTA\.(\w+) \(([\s\S]*?)\n\)/g))
    for (const [, column = ''] of body.matchAll(/^ {2}([A-Z]\w+) /gm)) names.add(`${file}.${column}`);
  for (const [, file = '', body = ''] of script.matchAll(/alter table PODDTA\.(\w+)((?:\n {2}add column .*)+)/g))
    for (const [, column = ''] of body.matchAll(/add column (\w+) /g)) names.add(`${file}.${column}`);
  return names;
}

/** The columns of earlier layouts, as their releases printed them. */
const earlier: { readonly [layout: string]: (name: string, column: string) => boolean } = {
  1: (name, column) =>
    name !== 'PODRCNP' && !/^CT(LAY|QUI|SEN|BEH|PRK|ERR|ERU)$/.test(column) && earlier[2]?.(name, column) === true,
  2: (name, column) => !/^R[UL]CH(TS|SQ)$/.test(column) && earlier[3]?.(name, column) === true,
  3: (_, column) => !/^(RUAR(DT|TM)|RL(WHO|USR|COL|OLD|NEW))$/.test(column),
};
const since = ['db2i', 'db2'].flatMap((dialect) => Object.keys(earlier).map((layout) => [dialect, layout] as const));

test.each(since)('%s: a library of layout %s and the additions have every column once', (dialect, layout) => {
  const added = namesIn(print('ddl', '--dialect', dialect, '--from', layout));
  const all = hostFileNames.flatMap((name) => Object.keys(allOf(name)).map((column) => ({ name, column })));
  const before = all
    .filter(({ name, column }) => earlier[layout]?.(name, column))
    .map(({ name, column }) => `${name}.${column}`);
  expect([...before, ...added].sort()).toEqual(all.map(({ name, column }) => `${name}.${column}`).sort());
  const script = print('ddl', '--dialect', dialect, '--from', layout);
  expect(script).toContain(`update PODDTA.PODCTLP set CTLAY = ${layoutVersion}`);
  expect(script.includes('grant select, update (CTQUI, CTSEN, CTBEH, CTPRK, CTERR, CTERU, CTUUSR')).toBe(
    layout === '1',
  );
  expect(script.match(/^create index /gm) ?? []).toHaveLength({ 1: 5, 2: 4 }[layout] ?? 0);
  expect(script.match(/next value for PODDTA\.PODCHGS/g) ?? []).toHaveLength(layout === '3' ? 0 : 4);
  expect(script).toContain('grant select, insert, delete, update (RLENT, ');
  expect(script).toMatch(/^-- .*NOT YET RUN on a real Db2/);
  expect(script).not.toMatch(/\b(drop|delete) (table|column|from)\b/i);
});

test('the whole script writes the layout, and from the present one nothing is added', () => {
  expect(print('ddl')).toContain(`insert into PODDTA.PODCTLP (CTHOLD, CTLAY)\nselect 'N', ${layoutVersion} from`);
  expect(namesIn(print('ddl', '--from', `${layoutVersion}`))).toEqual(new Set());
});

test.each(['0', '5', 'x', '-1'])('--from %s is refused with the known layouts', (from) => {
  expect(() => parsePrintCommand(['ddl', `--from=${from}`])).toThrow(CommandError);
  expect(() => parsePrintCommand(['ddl', `--from=${from}`])).toThrow(
    `--from: expected a layout from 1 to ${layoutVersion}`,
  );
});

// So a service of this release goes on with a library that lacks them, and a change in them is no edit.
test.each(dialects)('%s: only the deletion of old log lines names a column that the host assigns', async (dialect) => {
  const assigned = hostFileNames.flatMap((name) => Object.keys(hostFile(name).assigned));
  expect(assigned).toEqual(['RUCHTS', 'RUCHSQ', 'RLCHTS', 'RLCHSQ']);
  const statements = await statementsOf(dialect);
  expect(statements.filter((statement) => statement.includes('RTSTUP')).length).toBeGreaterThan(10);
  const naming = statements.filter((statement) => assigned.some((name) => statement.includes(name)));
  expect(naming).toEqual([expect.stringContaining('from PODDTA.PODRPLP order by RLCHSQ fetch first')]);
});

test('a library of layout 3: no statement names what it lacks, rows have zeros and blanks there, a warning says so', async () => {
  const { pool, url } = await createDatabase({ empty: true });
  const target = { legacyUrl: url, legacyLibrary: 'PODDTA' };
  await (await openHost(target, url, recordedLog())).close();
  const lacking = Object.entries(laterColumns).flatMap(([file, columns]) => columns.map((name) => ({ file, name })));
  for (const { file, name } of lacking) await pool.query(`alter table PODDTA.${file} drop column ${name}`);

  const log = recordedLog();
  const host = await openHost(target, url, log);
  expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
    expect.stringMatching(/^warn .*earlier layout/),
  ]);
  await sendEveryStatement(host);
  expect(rowFit(host.map)('RTSTUP', { RUSTS: 'D', RUARDT: '20261121' })).toEqual({ RUSTS: 'D', RUARDT: '0' });
  const settings = { changes: 'doorbell', live: true } as const;
  const { findings } = await examine(host, settings, { now: () => new Date(), form: 'short' });
  const of = (check: string) => findings.find((finding) => finding.check === check);
  expect(of('columns')).toMatchObject({ level: 'go' });
  expect(of('layout')?.says).toMatch(/^the library has layout 3, and this release 4/);
  await host.close();
});

test('a stand-in of layout 1 gets what it lacks at its next start, and keeps its rows', async () => {
  const { pool, url } = await createDatabase({ empty: true });
  await pool.query(print('ddl', '--dialect', 'postgres'));
  await pool.query(`update PODDTA.PODCTLP set CTHOLD = 'Y';
    alter table PODDTA.PODCTLP drop column CTLAY, drop column CTQUI, drop column CTSEN, drop column CTBEH,
      drop column CTPRK, drop column CTERR, drop column CTERU;
    drop table PODDTA.PODRCNP;
    insert into PODDTA.RTSTUP (RUFAC, RURTE, RUWKE, RUSTP) values ('F01', 'OLD', 20261128, 1);
    alter table PODDTA.RTSTUP drop column RUCHTS, drop column RUCHSQ;
    alter table PODDTA.PODRPLP drop column RLCHTS, drop column RLCHSQ;
    drop trigger RTSTUP_number_insert on PODDTA.RTSTUP;
    drop trigger RTSTUP_number_update on PODDTA.RTSTUP;
    drop sequence PODDTA.PODCHGS`);
  const host = await openStandIn({ url, library: 'PODDTA', log: recordedLog() });
  for (const name of hostFileNames) {
    const columns = (await host.describe(name))?.map((column) => column.name).sort();
    expect(columns).toEqual(Object.keys(allOf(name)).sort());
  }
  expect(await host.query('select CTHOLD, CTLAY from PODDTA.PODCTLP')).toEqual([
    { CTHOLD: 'Y', CTLAY: `${layoutVersion}` },
  ]);
  expect(await host.query('select RUCHSQ from PODDTA.RTSTUP')).toEqual([{ RUCHSQ: '0' }]);
  await host.transaction((tx) => tx.execute("update PODDTA.RTSTUP set RUSTS = 'D'"));
  expect(await host.query('select RUSTS, RUCHSQ from PODDTA.RTSTUP')).toEqual([{ RUSTS: 'D', RUCHSQ: '1' }]);
  await host.close();
});

function allOf(name: (typeof hostFileNames)[number]): object {
  return allColumnsOf(hostFile(name));
}
