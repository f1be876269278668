import { auditTail, columnsOf, writerColumns, type Columns, type HostFile, type HostValue } from './columns.ts';
import { exactCast, openCast, readCommitted, type Dialect } from './dialect.ts';
import type { HostRow } from '../host.ts';
import { hostFile, type HostFileName, type HostKey, type HostRecord } from './tables.ts';

// SQL for both drivers, made from the definitions. Texts depend on the shape only, so each is prepared once; `bind`
// puts a record's values in the order of its placeholders.

export type HostStatement<Input> = { readonly sql: string; readonly bind: (input: Input) => HostValue[] };

/** User and program of a write, for the audit tail; date and time are host-local, YYYYMMDD and HHMMSS. */
export type AuditStamp = { user: string; program: string; date: string; time: string };

type Place = { dialect: Dialect; library: string };

/** Every column of the rows with these values: `select … where RSFAC = ? and RSRTE = ?`, in key order. */
export function selectRows<Name extends HostFileName, By extends keyof HostRecord<Name> & string>(
  place: Place,
  name: Name,
  by: readonly By[],
): HostStatement<Pick<HostRecord<Name>, By>> {
  return {
    sql: selectText(place, name, by.length > 0 ? ` where ${matches(by)}` : ''),
    bind: (values) => pick(values, by),
  };
}

/** The same with the last writer of each row, from its audit tail. */
export function selectSigned<Name extends HostFileName>(
  place: Place,
  name: Name,
  by: readonly (keyof HostRecord<Name> & string)[],
): string {
  return selectText(place, name, ` where ${matches(by)}`, writerColumns(hostFile(name)));
}

/** Every column of the rows with one of `count` values: `select … where CMCUS in (?, ?)`, in key order. */
export function selectRowsIn<Name extends HostFileName>(
  place: Place,
  name: Name,
  column: keyof HostRecord<Name> & string,
  count: number,
): string {
  return selectText(place, name, ` where ${column} in ${placeholders(count)}`);
}

/** Chosen columns of the rows with these values: `select RQSTP, RQINV from … where RQFAC = ? and RQRTE = ?`. */
export function selectColumns<Name extends HostFileName>(
  { dialect, library }: Place,
  name: Name,
  columns: readonly (keyof HostRecord<Name> & string)[],
  by: readonly (keyof HostRecord<Name> & string)[],
): string {
  const where = by.length > 0 ? ` where ${matches(by)}` : '';
  return readCommitted(dialect, `select ${columns.join(', ')} from ${library}.${name}${where}`);
}

/** `(?, ?, ?)` for a list of this many values. */
export function placeholders(count: number): string {
  return `(${Array.from({ length: count }, () => '?').join(', ')})`;
}

function selectText({ dialect, library }: Place, name: HostFileName, where: string, more: string[] = []): string {
  const file = hostFile(name);
  const key = names(file.key);
  const order = key.length > 0 ? ` order by ${key.join(', ')}` : '';
  const columns = [...names(columnsOf(file)), ...more].join(', ');
  return readCommitted(dialect, `select ${columns} from ${library}.${name}${where}${order}`);
}

/** Date and time of the latest write of these rows, from the audit tail. */
export function selectWritten<Name extends HostFileName, By extends keyof HostRecord<Name> & string>(
  { dialect, library }: Place,
  name: Name,
  by: readonly By[],
): HostStatement<Pick<HostRecord<Name>, By>> {
  const { prefix } = hostFile(name);
  return {
    sql: readCommitted(
      dialect,
      `select ${prefix}UDAT as WDAT, ${prefix}UTIM as WTIM from ${library}.${name} where ${matches(by)}`,
    ),
    bind: (values) => pick(values, by),
  };
}

/** Inserts `count` rows with one statement; columns without a value get their blanks and zeros. */
export function insertRows<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
  { library }: Pick<Place, 'library'>,
  name: Name,
  columns: readonly Chosen[],
  count: number,
): HostStatement<{ rows: readonly Pick<HostRecord<Name>, Chosen>[]; stamp: AuditStamp }> {
  const tail = names(auditTail(hostFile(name)));
  const all = [...columns, ...tail];
  const row = placeholders(all.length);
  return {
    sql: `insert into ${library}.${name} (${all.join(', ')}) values ${Array.from({ length: count }, () => row).join(', ')}`,
    bind: ({ rows, stamp }) => rows.flatMap((record) => [...pick(record, columns), ...stampTwice(stamp)]),
  };
}

/** A guarded write: the new row, and the row as last confirmed (without one, only a missing row is written). */
export type GuardedRow<Row> = { row: Row; was?: Row | undefined };

/**
 * Changes columns of one row where the row still equals `was`: compare and set. Affects 0 rows after a foreign change
 * or deletion; then read back.
 */
export function updateGuarded<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
  { library }: Pick<Place, 'library'>,
  name: Name,
  columns: readonly Chosen[],
): HostStatement<{
  key: HostKey<Name>;
  row: Pick<HostRecord<Name>, Chosen>;
  was: Pick<HostRecord<Name>, Chosen>;
  stamp: AuditStamp;
}> {
  const file = hostFile(name);
  const key = names(file.key);
  const set = [...columns, ...changeTail(file)].map((column) => `${column} = ?`).join(', ');
  return {
    sql: `update ${library}.${name} set ${set} where ${matches([...key, ...columns])}`,
    bind: ({ key: values, row, was, stamp }) => [
      ...pick(row, columns),
      ...stampOnce(stamp),
      ...pick(values, key),
      ...pick(was, columns),
    ],
  };
}

/** Further conditions under which a MERGE leaves an existing row unchanged. */
export interface MergeGuards<Chosen, Flag> {
  /** Changed only where this column is lower on the host. */
  readonly sequence?: Chosen;
  /** A row whose flag is Y stays as it is. */
  readonly unless?: Flag;
  /** A missing row is not inserted. */
  readonly keepsMissing?: boolean;
}

/**
 * Inserts or changes `count` rows with one MERGE of typed values. It changes an existing row only where every written
 * column still equals `was` and no guard prevents it. The affected count is the number of written rows.
 */
export function mergeRows<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
  place: Place,
  name: Name,
  columns: readonly Chosen[],
  count: number,
  { sequence, unless, keepsMissing = false }: MergeGuards<Chosen, keyof HostRecord<Name> & string> = {},
): HostStatement<{
  rows: readonly GuardedRow<HostKey<Name> & Pick<HostRecord<Name>, Chosen>>[];
  stamp: AuditStamp;
}> {
  const key = names(hostFile(name).key);
  const guards = columns.filter((column) => column !== sequence);
  const conditions = [
    ...guards.map((column) => `T.${column} = S.WAS_${column}`),
    ...(sequence === undefined ? [] : [`T.${sequence} < S.${sequence}`]),
    ...(unless === undefined ? [] : [`T.${unless} not in ('Y', 'y')`]),
  ];
  return {
    sql: mergeText(place, hostFile(name), { columns, guards, conditions, count, keepsMissing }),
    bind: ({ rows, stamp }) =>
      rows.flatMap(({ row, was }) => [
        ...pick(row, key),
        ...pick(row, columns),
        ...stampOnce(stamp),
        // Null equals nothing: without a confirmed row the guard is never true, and only an insert can happen.
        ...(was === undefined ? guards.map(() => null) : pick(was, guards)),
      ]),
  };
}

/** Inserts or changes `count` rows without a comparison: for the owner of these columns. */
export function putRows<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
  place: Place,
  name: Name,
  columns: readonly Chosen[],
  count: number,
): HostStatement<{ rows: readonly (HostKey<Name> & Pick<HostRecord<Name>, Chosen>)[]; stamp: AuditStamp }> {
  const key = names(hostFile(name).key);
  return {
    sql: mergeText(place, hostFile(name), { columns, guards: [], conditions: [], count }),
    bind: ({ rows, stamp }) => rows.flatMap((row) => [...pick(row, key), ...pick(row, columns), ...stampOnce(stamp)]),
  };
}

/** Inserts those of `count` rows that are missing; existing rows stay as they are. */
export function insertMissing<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
  place: Place,
  name: Name,
  columns: readonly Chosen[],
  count: number,
): HostStatement<{ rows: readonly (HostKey<Name> & Pick<HostRecord<Name>, Chosen>)[]; stamp: AuditStamp }> {
  const { bind } = putRows(place, name, columns, count);
  const shape = { columns, guards: [], conditions: [], count, keepsExisting: true };
  return { sql: mergeText(place, hostFile(name), shape), bind };
}

/** Changes columns of every row of a file: the one row of PODCTLP. */
export function updateEach<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
  { library }: Pick<Place, 'library'>,
  name: Name,
  columns: readonly Chosen[],
): HostStatement<{ row: Pick<HostRecord<Name>, Chosen>; stamp: AuditStamp }> {
  const set = [...columns, ...changeTail(hostFile(name))].map((column) => `${column} = ?`).join(', ');
  return {
    sql: `update ${library}.${name} set ${set}`,
    bind: ({ row, stamp }) => [...pick(row, columns), ...stampOnce(stamp)],
  };
}

/** Changes no row, and fails where the file, a column of ours or the authority to write it is missing. */
export function updateNoRows({ library }: Pick<Place, 'library'>, name: HostFileName): string {
  const { service, key } = hostFile(name);
  const columns = names(service).length > 0 ? names(service) : names(key);
  return `update ${library}.${name} set ${columns.map((column) => `${column} = ${column}`).join(', ')} where 1 = 0`;
}

/** Deletes former rows of the service's own beyond the present ones: `delete … where LSRPT = ? and LSSEQ > ?`. */
export function deleteAbove<Name extends HostFileName>(
  { library }: Pick<Place, 'library'>,
  name: Name,
  by: keyof HostKey<Name> & string,
  above: keyof HostKey<Name> & string,
): string {
  return `delete from ${library}.${name} where ${by} = ? and ${above} > ?`;
}

/** The number of rows under a part of the key (ROWCNT), and the highest number among them (LAST; 0 for none). */
export function countRows<Name extends HostFileName>(
  { dialect, library }: Place,
  name: Name,
  by: keyof HostKey<Name> & string,
  number: keyof HostKey<Name> & string,
): string {
  return readCommitted(
    dialect,
    `select count(*) as ROWCNT, coalesce(max(${number}), 0) as LAST from ${library}.${name} where ${by} = ?`,
  );
}

type MergeShape = {
  columns: readonly string[];
  /** Columns whose confirmed value is a parameter, too, as `S.WAS_…`. */
  guards: readonly string[];
  conditions: readonly string[];
  count: number;
  /** An existing row stays as it is. */
  keepsExisting?: boolean;
  /** A missing row stays missing. */
  keepsMissing?: boolean;
};

function mergeText({ dialect, library }: Place, file: HostFile, shape: MergeShape): string {
  const { columns, guards, conditions, count, keepsExisting = false, keepsMissing = false } = shape;
  const key = names(file.key);
  const tail = auditTail(file);
  const change = changeTail(file);
  const source = [...key, ...columns, ...change, ...guards.map((column) => `WAS_${column}`)];
  const types = { ...columnsOf(file), ...tail };
  const row = [
    ...key.map((column) => exactCast(dialect, types[column])),
    ...[...columns, ...change].map((column) => openCast(dialect, types[column])),
    ...guards.map((column) => exactCast(dialect, types[column])),
  ].join(', ');
  const set = [...columns, ...change].map((column) => `${column} = S.${column}`).join(', ');
  const inserted = [...key, ...columns, ...names(tail)];
  const given = [...key, ...columns, ...change, ...change];
  return [
    `merge into ${library}.${file.name} as T`,
    `using (values ${Array.from({ length: count }, () => `(${row})`).join(', ')}) as S (${source.join(', ')})`,
    `on ${key.map((column) => `T.${column} = S.${column}`).join(' and ')}`,
    ...(keepsExisting
      ? []
      : [`when matched ${conditions.map((condition) => `and ${condition} `).join('')}then update set ${set}`]),
    ...(keepsMissing
      ? []
      : [
          `when not matched then insert (${inserted.join(', ')})`,
          `values (${given.map((column) => `S.${column}`).join(', ')})`,
        ]),
  ].join(' ');
}

/** Rows as typed records. A missing column, or one of another kind, means that the host's file has another layout. */
export function readRecords<Name extends HostFileName>(name: Name, rows: readonly HostRow[]): HostRecord<Name>[] {
  return rows.map((row) => {
    if (isRecordOf(name, row)) return row;
    throw new TypeError(`a row of ${name} does not have the columns that ${name} is defined with`);
  });
}

function isRecordOf<Name extends HostFileName>(name: Name, row: unknown): row is HostRecord<Name> {
  if (typeof row !== 'object' || row === null) return false;
  const values: { [column: string]: unknown } = { ...row };
  return Object.entries(columnsOf(hostFile(name))).every(([column, { kind }]) =>
    kind === 'binary' ? Buffer.isBuffer(values[column]) : typeof values[column] === 'string',
  );
}

function names(columns: Columns): string[] {
  return Object.keys(columns);
}

function matches(columns: readonly string[]): string {
  return columns.map((column) => `${column} = ?`).join(' and ');
}

function pick(record: object, columns: readonly string[]): HostValue[] {
  return columns.map((column) => {
    const value: unknown = Reflect.get(record, column);
    if (typeof value !== 'string' && !Buffer.isBuffer(value)) throw new TypeError(`no value for ${column}`);
    return value;
  });
}

function changeTail({ prefix }: HostFile): string[] {
  return [`${prefix}UUSR`, `${prefix}UPGM`, `${prefix}UDAT`, `${prefix}UTIM`];
}

function stampOnce({ user, program, date, time }: AuditStamp): string[] {
  return [user, program, date, time];
}

function stampTwice(stamp: AuditStamp): string[] {
  return [...stampOnce(stamp), ...stampOnce(stamp)];
}
