import type { Dialect } from '../files/dialect.ts';
import type { HostColumn, HostJob, HostRow } from '../host.ts';

// Catalog queries of the two families of Db2: each has its own views and names.

export type Db2Dialect = Exclude<Dialect, 'postgres'>;

/** Db2 for i names itself `AS`, the others `DB2/LINUXX8664` and the like. */
export function db2DialectOf(database: string): Db2Dialect {
  return database.toUpperCase().startsWith('DB2/') ? 'db2' : 'db2i';
}

/** Columns of a file in their order; parameters: library, file. */
export function columnsQuery(dialect: Db2Dialect): string {
  return dialect === 'db2i'
    ? `select COLUMN_NAME as NAME, DATA_TYPE as TYPE, LENGTH, NUMERIC_SCALE as SCALE, IS_NULLABLE as NULLABLE, CCSID
from QSYS2.SYSCOLUMNS where TABLE_SCHEMA = ? and TABLE_NAME = ? order by ORDINAL_POSITION`
    : `select COLNAME as NAME, TYPENAME as TYPE, LENGTH, SCALE, NULLS as NULLABLE, CODEPAGE as CCSID
from SYSCAT.COLUMNS where TABSCHEMA = ? and TABNAME = ? order by COLNO`;
}

export function asColumn(row: HostRow): HostColumn {
  const ccsid = Number(row['CCSID'] ?? 0);
  const type = String(row['TYPE']);
  const isText = /^(CHAR|VARCHAR|CHARACTER)/.test(type);
  const isBits = type.includes('FOR BIT DATA') || (isText && (ccsid === 0 || ccsid === 65_535));
  return {
    name: String(row['NAME']),
    type: isBits ? 'VARCHAR() FOR BIT DATA' : (names[type] ?? type),
    length: Number(row['LENGTH']),
    scale: Number(row['SCALE'] ?? 0),
    nullable: String(row['NULLABLE']).startsWith('Y'),
    // 65535 is Db2's value for bytes that are never converted.
    ccsid: isBits ? 65_535 : isText ? ccsid : null,
  };
}

/** Db2 for i shortens its types' names, Db2 LUW spells them out. */
const names: { readonly [type: string]: string } = { CHARACTER: 'CHAR', TIMESTMP: 'TIMESTAMP' };

/** Seconds to wait for another program's lock; then the route is tried again later. */
const LOCK_WAIT_SECONDS = 3;

/**
 * Sets how long a connection waits for locks, unless its connection string does. Db2 LUW waits without end by default.
 * Db2 for i has no such statement: the files define it (WAITRCD, 60 s), and our statement limit comes first.
 */
export function lockWait(dialect: Db2Dialect, connectionString: string): string[] {
  const isConfigured = /(^|;)\s*LockTimeout\s*=/i.test(connectionString);
  return dialect === 'db2' && !isConfigured ? [`set current lock timeout ${LOCK_WAIT_SECONDS}`] : [];
}

/** The user of this connection and, where the host has such a name, the job. */
export function jobQuery(dialect: Db2Dialect): string {
  return dialect === 'db2i'
    ? 'select session_user as USR, QSYS2.JOB_NAME as JOB from SYSIBM.SYSDUMMY1'
    : `select session_user as USR, varchar(application_id()) as JOB from SYSIBM.SYSDUMMY1`;
}

/** @param column a text column of ours: its code page on the host counts, not the job's */
export function asJob(row: HostRow | undefined, column: HostColumn | undefined, library: string): HostJob {
  return { ccsid: column?.ccsid ?? 0, user: String(row?.['USR']), job: String(row?.['JOB']), library };
}
