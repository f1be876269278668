import { HostError } from '../host.ts';
import { probeOn, type Ccsid } from '../files/ccsid.ts';
import type { Db2Dialect } from './catalog.ts';

// `ibm_db` sends and reads UTF-8. A client library that takes these bytes for another code page stores `JosÃ©` for
// `José`, and reads it back as `José`: only the host can show its bytes.

export const PROBE = 'é';

/** Reads the bytes that the host makes of `PROBE`, as HEX. */
export function probeQuery(dialect: Db2Dialect, ccsid: Ccsid = '37'): string {
  const type = dialect === 'db2i' ? `varchar(4) ccsid ${ccsid}` : 'varchar(4)';
  return `select hex(cast(? as ${type})) as HEX from SYSIBM.SYSDUMMY1`;
}

/** Db2 LUW has the code page of its database in a column of its catalog. 1208 is UTF-8, the default of a new database. */
export const databasePageQuery = `select CODEPAGE from SYSCAT.COLUMNS
where TABSCHEMA = 'SYSIBM' and TABNAME = 'SYSDUMMY1' and COLNAME = 'IBMREQD'`;
const UTF_8 = 1208;

/**
 * @param databasePage asked only where the bytes are wrong: a UTF-8 database and a client that is set wrong answer the same
 * @throws HostError of the kind `setup`: nothing may be written
 */
export async function assertCodePage(
  dialect: Db2Dialect,
  hex: string,
  databasePage: () => Promise<number>,
  ccsid: Ccsid = '37',
): Promise<void> {
  const expected = probeOn(dialect, ccsid);
  if (hex === expected) return;
  const isUnicode = dialect === 'db2' && (await databasePage()) === UTF_8;
  throw new HostError(
    '42997',
    isUnicode
      ? 'this Db2 database is in UTF-8, where the length of a column counts bytes and not characters: nothing is written; ' +
          'create the database with USING CODESET ISO8859-1 (docs/db2.md)'
      : `${PROBE} reaches Db2 as the bytes ${hex} and not ${expected}: nothing is written before the code pages fit ` +
          '(client DB2CODEPAGE=1208, job or database; docs/db2.md)',
  );
}
