import { describe, expect, test } from 'vitest';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CommandError, hostScript, parsePrintCommand, printed } from '../../server/src/host/tools/cli.ts';
import { allColumnsOf } from '../../server/src/host/files/columns.ts';
import { scriptParts } from '../../server/src/host/db2/ddl.ts';
import { dialects } from '../../server/src/host/files/dialect.ts';
import { hostFile, hostFileNames } from '../../server/src/host/files/tables.ts';
import { createDatabase } from '../support/postgres.ts';

const print = (...argv: string[]) => {
  const command = parsePrintCommand(argv);
  if (!command) throw new Error('that prints nothing');
  return printed(command, 'PODDTA', undefined, 'PODSHD');
};

// `npx vitest run tests/host/ddl.test.ts -u` writes them anew; a reviewer reads the difference.
test.each(['db2i', 'db2'])(
  'the script for %s equals the reviewed one, and states that it has not run yet',
  async (dialect) => {
    const script = print('ddl', '--dialect', dialect);
    await expect(script).toMatchFileSnapshot(`../../docs/ddl/${dialect}.ddl`);
    expect(script).toMatch(/^-- .*NOT YET RUN on a real Db2/);
  },
);

// Once by the command itself: this process imports modules in another order of exports than Node.
test('npm run host -- ddl prints that script, file by file in the same order', async () => {
  const command = fileURLToPath(new URL('../../server/bin/host.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=source', command, 'ddl']);
  expect(stdout).toBe(print('ddl'));
});

test('docs/host-files.md is printed from the definitions', async () => {
  await expect(print('layout')).toMatchFileSnapshot('../../docs/host-files.md');
});

test('the script for PostgreSQL makes a library that has every file', async () => {
  const { pool } = await createDatabase({ empty: true });
  await pool.query(print('ddl', '--dialect', 'postgres'));
  const { rows } = await pool.query<{ name: string }>(
    `select upper(table_name) as name from information_schema.tables where table_schema = 'poddta' and table_name <> 'standin_fault'`,
  );
  expect(rows.map(({ name }) => name).sort()).toEqual([...hostFileNames].sort());
});

describe.each(dialects)('the script for %s', (dialect) => {
  const script = hostScript(dialect, 'MYLIB');

  test('creates every column of every file once, and names the library everywhere', () => {
    for (const name of hostFileNames) {
      const [, body = ''] =
        new RegExp(`create table (?:if not exists )?MYLIB\\.${name} \\(([\\s\\S]*?)primary key|$`).exec(script) ?? [];
      if (Object.keys(hostFile(name).key).length === 0) continue;
      for (const column of Object.keys(allColumnsOf(hostFile(name))))
        expect(body.split(new RegExp(`\\b${column} `))).toHaveLength(2);
    }
    expect(script).not.toContain('PODDTA');
  });
});

describe('least authority', () => {
  const grantOf = (file: string) =>
    new RegExp(`grant (.*) on PODDTA\\.${file} to TAILGATE;`).exec(hostScript('db2i', 'PODDTA'))?.[1] ?? '';

  test('the office’s columns cannot be changed by the service', () => {
    expect(grantOf('RTSTPP')).toBe('select, update (RSSTS, RSARVF, RSUUSR, RSUPGM, RSUDAT, RSUTIM)');
    expect(grantOf('CUSMSP')).toBe('select');
    expect(grantOf('RTOSDP')).toMatch(/^select, insert, update \(OSITM, /);
    expect(grantOf('RTOSDP')).not.toContain('OSPRCF');
  });

  test('only read lines of the doorbell, former sections and old lines of the log are deleted', () => {
    expect(hostFileNames.filter((file) => grantOf(file).includes('delete'))).toEqual(['LCRSCP', 'PODRPLP', 'PODCHGP']);
  });
});

describe('the script for Db2', () => {
  const part = (name: string, ...more: string[]) => print('ddl', '--dialect', 'db2i', '--part', name, ...more);

  test('has four parts, each for its author; together they are the whole', () => {
    const bodies = scriptParts.map((name) => part(name).slice(part(name).indexOf('-- Part ')));
    expect(print('ddl')).toContain(bodies.join('\n'));
    expect(part('owner')).not.toMatch(/^(grant|create or replace trigger|.*STRJRNPF)/m);
    expect(part('journal').match(/STRJRNPF FILE/g)).toHaveLength(hostFileNames.length);
    expect(part('triggers').match(/^create or replace trigger/gm)).toHaveLength(55);
    expect(part('grants').match(/^grant /gm)).toHaveLength(hostFileNames.length);
    expect(part('grants')).not.toContain('create ');
  });

  test('of the comparison in shadow makes one table in the service’s own library, with a grant on it alone', () => {
    const script = print('ddl', '--dialect', 'db2i', '--comparison');
    expect(script).toContain('create table PODSHD.PODSHDP (');
    expect(script).not.toContain('PODDTA');
    expect(script.match(/^grant .*/gm)).toEqual([
      'grant select, insert, delete, update (SHSTP, SHVER, SHCNT, SHFIL, SHCOL, SHROW, SHOUR, SHTHR, SHUUSR, SHUPGM, SHUDAT, SHUTIM) on PODSHD.PODSHDP to TAILGATE;',
    ]);
    expect(() => print('ddl', '--comparison', '--from', '1')).toThrow('npm run host');
  });

  test.each(['db2i', 'db2'] as const)(
    '%s: goes on where an object exists, in each statement that makes one',
    (dialect) => {
      const scripts = [print('ddl', '--dialect', dialect), print('ddl', '--dialect', dialect, '--from', '1')];
      for (const script of scripts) {
        const made = script.split(/^begin$/m).slice(1);
        const inside = made.filter((text) =>
          /^\n {2}declare continue handler for sqlstate '(42710|42711|38501)'/.test(text),
        );
        const makers =
          script.match(/^(?:create (?:table|index|sequence)|alter table|call)\b|execute immediate 'call\b/gm) ?? [];
        expect(inside.length).toBeGreaterThan(0);
        expect(inside).toHaveLength(makers.length);
        expect(script).toMatch(/where not exists \(select 1 from PODDTA\.PODCTLP\)|set CTLAY = \d+ where CTLAY < \d+/);
      }
    },
  );

  test('an unknown part is refused with the known ones, and the stand-in has none', () => {
    expect(() => part('tables')).toThrow('--part: no part is named tables: there are owner, journal, triggers, grants');
    expect(() => print('ddl', '--dialect', 'postgres', '--part', 'owner')).toThrow('the script of the stand-in');
  });
});

test('an unknown dialect is refused with the list of the known ones', () => {
  expect(() => parsePrintCommand(['ddl', '--dialect', 'oracle'])).toThrow(CommandError);
  expect(() => parsePrintCommand(['ddl', '--dialect', 'oracle'])).toThrow('db2i, db2, postgres');
});
