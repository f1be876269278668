import { columnsOf } from '../files/columns.ts';
import { serviceProgram } from '../files/standin-schema.ts';
import type { HostFile } from '../files/columns.ts';
import type { HostColumn, HostJob, HostRow } from '../host.ts';

// Catalog queries of the stand-in, in Db2's terms.

export const standInJobQuery = `select session_user as usr, cast(pg_backend_pid() as text) as job`;

export function asStandInJob([row]: readonly HostRow[], library: string): HostJob {
  const user = String(row?.['USR']);
  return { ccsid: 37, user, job: `${String(row?.['JOB'])}/${user}/${serviceProgram}`, library };
}

/** Columns of a file in their order; parameters: library, file. */
export const standInColumnsQuery = `select column_name as name, data_type as type,
  coalesce(character_maximum_length, numeric_precision, 0) as length, coalesce(numeric_scale, 0) as scale,
  is_nullable as nullable
from information_schema.columns where table_schema = lower(?) and table_name = lower(?) order by ordinal_position`;

/** Undefined where there is no such file. @param file its definition, by the library's own names */
export function asStandInColumns(file: HostFile, rows: readonly HostRow[]): HostColumn[] | undefined {
  if (rows.length === 0) return undefined;
  const chunk = Object.values(columnsOf(file)).find(({ kind }) => kind === 'binary');
  return rows.map((row) => {
    const name = String(row['NAME']).toUpperCase();
    const type = db2Types[String(row['TYPE'])] ?? String(row['TYPE']).toUpperCase();
    return {
      name,
      type,
      // PostgreSQL's byte strings have no length of their own.
      length: type.endsWith('BIT DATA') && chunk?.kind === 'binary' ? chunk.length : Number(row['LENGTH']),
      scale: Number(row['SCALE']),
      nullable: row['NULLABLE'] === 'YES',
      ccsid: ccsids[type] ?? null,
    };
  });
}

const db2Types: { readonly [type: string]: string } = {
  character: 'CHAR',
  numeric: 'DECIMAL',
  'timestamp without time zone': 'TIMESTAMP',
  bytea: 'VARCHAR() FOR BIT DATA',
  bigint: 'BIGINT',
};
/** 65535 is Db2's value for bytes that are never converted. */
const ccsids: { readonly [type: string]: number } = { CHAR: 37, 'VARCHAR() FOR BIT DATA': 65_535 };
