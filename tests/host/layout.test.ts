import { expect, test } from 'vitest';
import { openStandIn } from '../../server/src/host/connection/postgres.ts';
import { allColumnsOf } from '../../server/src/host/files/columns.ts';
import { layoutVersion } from '../../server/src/host/files/layout.ts';
import { hostFile, hostFileNames } from '../../server/src/host/files/tables.ts';
import { CommandError, parsePrintCommand, printed } from '../../server/src/host/tools/cli.ts';
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

/** The columns of layout 1, as the release before printed them. */
const ofLayout1 = (name: string, column: string): boolean =>
  name !== 'PODRCNP' && !/^CT(LAY|QUI|SEN|BEH|PRK|ERR|ERU)$/.test(column);

test.each(['db2i', 'db2'] as const)('%s: an earlier library and the additions have every column once', (dialect) => {
  const added = namesIn(print('ddl', '--dialect', dialect, '--from', '1'));
  const all = hostFileNames.flatMap((name) => Object.keys(allOf(name)).map((column) => ({ name, column })));
  const before = all
    .filter(({ name, column }) => ofLayout1(name, column))
    .map(({ name, column }) => `${name}.${column}`);
  expect([...before, ...added].sort()).toEqual(all.map(({ name, column }) => `${name}.${column}`).sort());
  const script = print('ddl', '--dialect', dialect, '--from', '1');
  expect(script).toContain(`update PODDTA.PODCTLP set CTLAY = ${layoutVersion}`);
  expect(script).toContain('grant select, update (CTQUI, CTSEN, CTBEH, CTPRK, CTERR, CTERU, CTUUSR');
  expect(script).toMatch(/^-- .*NOT YET RUN on a real Db2/);
  expect(script).not.toMatch(/\b(drop|delete) (table|column|from)\b/i);
});

test('the whole script writes the layout, and from the present one nothing is added', () => {
  expect(print('ddl')).toContain(`insert into PODDTA.PODCTLP (CTHOLD, CTLAY)\nselect 'N', ${layoutVersion} from`);
  expect(namesIn(print('ddl', '--from', `${layoutVersion}`))).toEqual(new Set());
});

test.each(['0', '3', 'x', '-1'])('--from %s is refused with the known layouts', (from) => {
  expect(() => parsePrintCommand(['ddl', `--from=${from}`])).toThrow(CommandError);
  expect(() => parsePrintCommand(['ddl', `--from=${from}`])).toThrow(
    `--from: expected a layout from 1 to ${layoutVersion}`,
  );
});

test('a stand-in of layout 1 gets what it lacks at its next start, and keeps its rows', async () => {
  const { pool, url } = await createDatabase({ empty: true });
  await pool.query(print('ddl', '--dialect', 'postgres'));
  await pool.query(`update PODDTA.PODCTLP set CTHOLD = 'Y';
    alter table PODDTA.PODCTLP drop column CTLAY, drop column CTQUI, drop column CTSEN, drop column CTBEH,
      drop column CTPRK, drop column CTERR, drop column CTERU;
    drop table PODDTA.PODRCNP`);
  const host = await openStandIn({ url, library: 'PODDTA', log: recordedLog() });
  for (const name of hostFileNames) {
    const columns = (await host.describe(name))?.map((column) => column.name).sort();
    expect(columns).toEqual(Object.keys(allOf(name)).sort());
  }
  expect(await host.query('select CTHOLD, CTLAY from PODDTA.PODCTLP')).toEqual([{ CTHOLD: 'Y', CTLAY: '2' }]);
  await host.close();
});

function allOf(name: (typeof hostFileNames)[number]): object {
  return allColumnsOf(hostFile(name));
}
