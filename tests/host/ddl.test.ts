import { describe, expect, test } from 'vitest';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CommandError, hostScript, parsePrintCommand, printed } from '../../server/src/host/tools/cli.ts';
import { auditTail, columnsOf } from '../../server/src/host/files/columns.ts';
import { dialects } from '../../server/src/host/files/dialect.ts';
import { hostFile, hostFileNames } from '../../server/src/host/files/tables.ts';
import { createDatabase } from '../support/postgres.ts';

const print = (...argv: string[]) => {
  const command = parsePrintCommand(argv);
  if (!command) throw new Error('that prints nothing');
  return printed(command, 'PODDTA');
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
      for (const column of Object.keys({ ...columnsOf(hostFile(name)), ...auditTail(hostFile(name)) }))
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

  test('only read lines of the doorbell and former sections are deleted', () => {
    expect(hostFileNames.filter((file) => grantOf(file).includes('delete'))).toEqual(['LCRSCP', 'PODCHGP']);
  });
});

test('an unknown dialect is refused with the list of the known ones', () => {
  expect(() => parsePrintCommand(['ddl', '--dialect', 'oracle'])).toThrow(CommandError);
  expect(() => parsePrintCommand(['ddl', '--dialect', 'oracle'])).toThrow('db2i, db2, postgres');
});
