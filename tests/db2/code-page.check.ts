import { expect, test } from 'vitest';
import { openDb2 } from '../../server/src/host/db2/open-db2.ts';
import { db2Address } from '../support/driven-host.ts';
import { atFileEnd } from '../support/file-end.ts';
import { hostFailure } from '../support/host-failure.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { createHost } from '../support/stand-in.ts';

// ibm_db sends UTF-8, regardless of the code page that the client library assumes. This run has a locale without UTF-8.

const { database } = await createHost();
const { pool } = database;

test.each(['', '?StandInDbms=DB2/LINUXX8664'])(
  'a name with an accent reaches the host as the driver typed it (%s)',
  async (keywords) => {
    await pool.query('delete from PODDTA.RTSTUP');
    const url = `${db2Address(database.url)}${keywords}`;
    const host = await openDb2({ url, library: 'PODDTA', program: 'TAILGATE', size: 1, log: recordedLog() });
    atFileEnd(() => host.close());
    const insert = 'insert into PODDTA.RTSTUP (RUFAC, RURTE, RUWKE, RUSTP, RUSNAM) values (?, ?, ?, ?, ?)';
    await host.query(insert, ['F01', 'R1', '20261128', '1', 'José']);
    const { rows } = await pool.query<{ name: string }>('select trim(RUSNAM) as name from PODDTA.RTSTUP');
    expect(rows).toEqual([{ name: 'José' }]);
    expect(await host.query('select RUSNAM from PODDTA.RTSTUP')).toEqual([{ RUSNAM: 'José' }]);
  },
);

test.each([
  ['Db2 for i', '', '66B4'],
  ['Db2 LUW', '&StandInDbms=DB2/LINUXX8664', 'C3A9'],
])('a client of another code page is refused with a sentence: %s', async (_host, keywords, hex) => {
  const url = `${db2Address(database.url)}?StandInCodePage=819${keywords}`;
  const opening = openDb2({ url, library: 'PODDTA', program: 'TAILGATE', size: 1, log: recordedLog() });
  const error = await hostFailure(opening);
  expect(error.kind).toBe('setup');
  expect(error.message).toContain(`é reaches Db2 as the bytes ${hex}`);
});

test('a Db2 LUW database in UTF-8, the default, is refused with its own message', async () => {
  await pool.query(`create or replace function database_code_page() returns int language sql as 'select 1208'`);
  const url = `${db2Address(database.url)}?StandInDbms=DB2/LINUXX8664`;
  const opening = openDb2({ url, library: 'PODDTA', program: 'TAILGATE', size: 1, log: recordedLog() });
  const error = await hostFailure(opening);
  expect(error.kind).toBe('setup');
  expect(error.message).toContain('this Db2 database is in UTF-8');
  expect(error.message).toContain('USING CODESET ISO8859-1');
});
