import { expect, test } from 'vitest';
import { openDb2 } from '../../server/src/host/db2/open-db2.ts';
import type { Ccsid } from '../../server/src/host/files/ccsid.ts';
import { plainMap } from '../../server/src/host/files/library-map.ts';
import type { Host } from '../../server/src/host/host.ts';
import { db2Address } from '../support/driven-host.ts';
import { atFileEnd } from '../support/file-end.ts';
import { hostFailure } from '../support/host-failure.ts';
import { recordedLog } from '../support/recorded-log.ts';
import { createHost } from '../support/stand-in.ts';

// ibm_db sends UTF-8, regardless of the code page that the client library assumes. This run has a locale without UTF-8.

const { database } = await createHost();
const { pool } = database;

/** A host by these keywords of the client library, whose texts are in this code page. */
const opened = (keywords: string, ccsid: Ccsid): Promise<Host> =>
  openDb2({
    url: `${db2Address(database.url)}${keywords}`,
    library: 'PODDTA',
    program: 'TAILGATE',
    size: 1,
    log: recordedLog(),
    map: plainMap.inCcsid(ccsid),
  });

test.each([
  ['Db2 for i, CCSID=37', '', '37'],
  ['Db2 for i, CCSID=297', '', '297'],
  ['Db2 LUW', '?StandInDbms=DB2/LINUXX8664', '37'],
] as const)('a name with an accent reaches the host as the driver typed it: %s', async (_host, keywords, ccsid) => {
  await pool.query('delete from PODDTA.RTSTUP');
  const host = await opened(keywords, ccsid);
  atFileEnd(() => host.close());
  const insert = 'insert into PODDTA.RTSTUP (RUFAC, RURTE, RUWKE, RUSTP, RUSNAM) values (?, ?, ?, ?, ?)';
  await host.query(insert, ['F01', 'R1', '20261128', '1', 'José']);
  const { rows } = await pool.query<{ name: string }>('select trim(RUSNAM) as name from PODDTA.RTSTUP');
  expect(rows).toEqual([{ name: 'José' }]);
  expect(await host.query('select RUSNAM from PODDTA.RTSTUP')).toEqual([{ RUSNAM: 'José' }]);
});

test.each([
  ['Db2 for i, CCSID=37', '', '37', '66B4 and not 51'],
  ['Db2 for i, CCSID=297', '', '297', '66B4 and not C0'],
  ['Db2 LUW', '&StandInDbms=DB2/LINUXX8664', '37', 'C3A9 and not E9'],
] as const)('a client of another code page is refused with a sentence: %s', async (_host, keywords, ccsid, bytes) => {
  const error = await hostFailure(opened(`?StandInCodePage=819${keywords}`, ccsid));
  expect(error.kind).toBe('setup');
  expect(error.message).toContain(`é reaches Db2 as the bytes ${bytes}`);
});

test('a Db2 LUW database in UTF-8, the default, is refused with its own message', async () => {
  await pool.query(`create or replace function database_code_page() returns int language sql as 'select 1208'`);
  const error = await hostFailure(opened('?StandInDbms=DB2/LINUXX8664', '37'));
  expect(error.kind).toBe('setup');
  expect(error.message).toContain('this Db2 database is in UTF-8');
  expect(error.message).toContain('USING CODESET ISO8859-1');
});
