import { auditTail, columnsOf, writerColumns, type Columns, type HostFile, type HostValue } from './columns.ts';
import { exactCast, openCast, readCommitted } from './dialect.ts';
import type { HostRow } from '../host.ts';
import { literal, namesOn, type LibraryMap, type Place, type SqlNames } from './library-map.ts';
import { hostFile, type HostFileName, type HostKey, type HostRecord } from './tables.ts';

// SQL for both drivers, made from the definitions. Texts depend on the shape only, so each is prepared once; `bind`
// puts a record's values in the order of its placeholders.

export type HostStatement<Input> = { readonly sql: string; readonly bind: (input: Input) => HostValue[] };

/** User and program of a write, for the audit tail; date and time are host-local, YYYYMMDD and HHMMSS. */
export type AuditStamp = { user: string; program: string; date: string; time: string };

/** Every column of the rows with these values: `select … where RSFAC = ? and RSRTE = ?`, in key order. */
export function selectRows<Name extends HostFileName, By extends keyof HostRecord<Name> & string>(
  place: Place,
  name: Name,
  by: readonly By[],
): HostStatement<Pick<HostRecord<Name>, By>> {
  const names = namesOn(place);
  return {
    sql: selectText(place, name, by.length > 0 ? ` where ${matches(names, by)}` : ''),
    bind: (values) => pick(names.map, values, by),
  };
}

/** The same with the last writer of each row, from its audit tail. */
export function selectSigned<Name extends HostFileName>(
  place: Place,
  name: Name,
  by: readonly (keyof HostRecord<Name> & string)[],
): string {
  return selectText(place, name, ` where ${matches(namesOn(place), by)}`, writerColumns(hostFile(name)));
}

/** Every column of the rows with one of `count` values: `select … where CMCUS in (?, ?)`, in key order. */
export function selectRowsIn<Name extends HostFileName>(
  place: Place,
  name: Name,
  column: keyof HostRecord<Name> & string,
  count: number,
): string {
  return selectText(place, name, ` where ${namesOn(place).column(column)} in ${placeholders(count)}`);
}

/** Chosen columns of the rows with these values: `select RQSTP, RQINV from … where RQFAC = ? and RQRTE = ?`. */
export function selectColumns<Name extends HostFileName>(
  place: Place,
  name: Name,
  columns: readonly (keyof HostRecord<Name> & string)[],
  by: readonly (keyof HostRecord<Name> & string)[],
): string {
  const { table, selected, ...names } = namesOn(place);
  const where = by.length > 0 ? ` where ${matches(names, by)}` : '';
  return readCommitted(place.dialect, `select ${columns.map(selected).join(', ')} from ${table(name)}${where}`);
}

/** `(?, ?, ?)` for a list of this many values. */
export function placeholders(count: number): string {
  return `(${Array.from({ length: count }, () => '?').join(', ')})`;
}

function selectText(place: Place, name: HostFileName, where: string, more: string[] = []): string {
  const { table, column, selected } = namesOn(place);
  const file = hostFile(name);
  const key = namesIn(file.key);
  const order = key.length > 0 ? ` order by ${key.map(column).join(', ')}` : '';
  const columns = [...namesIn(columnsOf(file)), ...more].map(selected).join(', ');
  return readCommitted(place.dialect, `select ${columns} from ${table(name)}${where}${order}`);
}

/** Date and time of the latest write of these rows, from the audit tail. */
export function selectWritten<Name extends HostFileName, By extends keyof HostRecord<Name> & string>(
  place: Place,
  name: Name,
  by: readonly By[],
): HostStatement<Pick<HostRecord<Name>, By>> {
  const { prefix } = hostFile(name);
  const names = namesOn(place);
  const { table, column } = names;
  return {
    sql: readCommitted(
      place.dialect,
      `select ${column(`${prefix}UDAT`)} as WDAT, ${column(`${prefix}UTIM`)} as WTIM from ${table(name)} where ${matches(names, by)}`,
    ),
    bind: (values) => pick(names.map, values, by),
  };
}

/** Inserts `count` rows with one statement; columns without a value get their blanks and zeros. */
export function insertRows<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
  place: Place,
  name: Name,
  columns: readonly Chosen[],
  count: number,
): HostStatement<{ rows: readonly Pick<HostRecord<Name>, Chosen>[]; stamp: AuditStamp }> {
  const { map, table, column, quoted } = namesOn(place);
  const tail = namesIn(auditTail(hostFile(name)));
  const stored = map.stored(columns);
  const constants = map.constants(name);
  const known = map.stored([...columns, ...tail]).map(column);
  const all = [...known, ...constants.map(([own]) => quoted(own))];
  const given = known.map(() => '?');
  const row = `(${[...given, ...constants.map(([, value]) => literal(value))].join(', ')})`;
  return {
    sql: `insert into ${table(name)} (${all.join(', ')}) values ${Array.from({ length: count }, () => row).join(', ')}`,
    bind: ({ rows, stamp }) => {
      const values = stampValues(map, tail, [...stampOnce(stamp), ...stampOnce(stamp)]);
      return rows.flatMap((record) => [...pick(map, record, stored), ...values]);
    },
  };
}

/** A guarded write: the new row, and the row as last confirmed (without one, only a missing row is written). */
export type GuardedRow<Row> = { row: Row; was?: Row | undefined };

/**
 * Changes columns of one row where the row still equals `was`: compare and set. Affects 0 rows after a foreign change
 * or deletion; then read back.
 */
export function updateGuarded<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
  place: Place,
  name: Name,
  columns: readonly Chosen[],
): HostStatement<{
  key: HostKey<Name>;
  row: Pick<HostRecord<Name>, Chosen>;
  was: Pick<HostRecord<Name>, Chosen>;
  stamp: AuditStamp;
}> {
  const file = hostFile(name);
  const names = namesOn(place);
  const { map, table } = names;
  const key = namesIn(file.key);
  const tail = changeTail(file);
  const stored = map.stored(columns);
  return {
    sql: `update ${table(name)} set ${assignments(names, [...columns, ...tail])} where ${matches(names, [...key, ...stored])}`,
    bind: ({ key: values, row, was, stamp }) => [
      ...pick(map, row, stored),
      ...stampValues(map, tail, stampOnce(stamp)),
      ...pick(map, values, key),
      ...pick(map, was, stored),
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
  const { map, column: own, literal: coded } = namesOn(place);
  const file = hostFile(name);
  const key = namesIn(file.key);
  const stored = map.stored(columns);
  const guards = stored.filter((column) => column !== sequence);
  const conditions = [
    ...guards.map((column) => `T.${own(column)} = S.WAS_${column}`),
    ...(sequence === undefined ? [] : [`T.${own(sequence)} < S.${sequence}`]),
    ...(unless === undefined || map.ownName(unless) === undefined
      ? []
      : [`T.${own(unless)} not in (${[...new Set(['Y', 'y'].map((value) => coded(unless, value)))].join(', ')})`]),
  ];
  return {
    sql: mergeText(place, name, { columns: stored, guards, conditions, count, keepsMissing }),
    bind: ({ rows, stamp }) => {
      const tail = mergeStamp(map, file, stamp);
      return rows.flatMap(({ row, was }) => [
        ...pick(map, row, key),
        ...pick(map, row, stored),
        ...tail,
        // Null equals nothing: without a confirmed row the guard is never true, and only an insert can happen.
        ...(was === undefined ? guards.map(() => null) : pick(map, was, guards)),
      ]);
    },
  };
}

/** Inserts or changes `count` rows without a comparison: for the owner of these columns. */
export function putRows<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
  place: Place,
  name: Name,
  columns: readonly Chosen[],
  count: number,
): HostStatement<{ rows: readonly (HostKey<Name> & Pick<HostRecord<Name>, Chosen>)[]; stamp: AuditStamp }> {
  const { map } = namesOn(place);
  const file = hostFile(name);
  const key = namesIn(file.key);
  const stored = map.stored(columns);
  return {
    sql: mergeText(place, name, { columns: stored, guards: [], conditions: [], count }),
    bind: ({ rows, stamp }) => {
      const tail = mergeStamp(map, file, stamp);
      return rows.flatMap((row) => [...pick(map, row, key), ...pick(map, row, stored), ...tail]);
    },
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
  const stored = namesOn(place).map.stored(columns);
  const shape = { columns: stored, guards: [], conditions: [], count, keepsExisting: true };
  return { sql: mergeText(place, name, shape), bind };
}

/** Changes columns of every row of a file: the one row of PODCTLP. */
export function updateEach<Name extends HostFileName, Chosen extends keyof HostRecord<Name> & string>(
  place: Place,
  name: Name,
  columns: readonly Chosen[],
): HostStatement<{ row: Pick<HostRecord<Name>, Chosen>; stamp: AuditStamp }> {
  const names = namesOn(place);
  const { map, table } = names;
  const tail = changeTail(hostFile(name));
  return {
    sql: `update ${table(name)} set ${assignments(names, [...columns, ...tail])}`,
    bind: ({ row, stamp }) => [...pick(map, row, map.stored(columns)), ...stampValues(map, tail, stampOnce(stamp))],
  };
}

/** Changes no row, and fails where the file, a column of ours or the authority to write it is missing. */
export function updateNoRows(place: Place, name: HostFileName): string {
  const { service, key } = hostFile(name);
  const { map, table, column } = namesOn(place);
  const stored = map.stored(namesIn(service));
  const columns = (stored.length > 0 ? stored : namesIn(key)).map(column);
  return `update ${table(name)} set ${columns.map((own) => `${own} = ${own}`).join(', ')} where 1 = 0`;
}

/** Deletes former rows of the service's own beyond the present ones: `delete … where LSRPT = ? and LSSEQ > ?`. */
export function deleteAbove<Name extends HostFileName>(
  place: Place,
  name: Name,
  by: readonly (keyof HostKey<Name> & string)[],
  above: keyof HostKey<Name> & string,
): string {
  const names = namesOn(place);
  return `delete from ${names.table(name)} where ${matches(names, by)} and ${names.column(above)} > ?`;
}

/** The number of rows under a part of the key (ROWCNT), and the highest number among them (LAST; 0 for none). */
export function countRows<Name extends HostFileName>(
  place: Place,
  name: Name,
  by: keyof HostKey<Name> & string,
  number: keyof HostKey<Name> & string,
): string {
  const { table, column } = namesOn(place);
  return readCommitted(
    place.dialect,
    `select count(*) as ROWCNT, coalesce(max(${column(number)}), 0) as LAST from ${table(name)} where ${column(by)} = ?`,
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

function mergeText(place: Place, name: HostFileName, shape: MergeShape): string {
  const { columns, guards, conditions, count, keepsExisting = false, keepsMissing = false } = shape;
  const { dialect } = place;
  const { map, table, column: own, quoted } = namesOn(place);
  const file = map.file(name);
  const key = namesIn(file.key);
  const tail = map.stored(namesIn(auditTail(file)));
  const change = mergeTail(map, file);
  const source = [...key, ...columns, ...change, ...guards.map((column) => `WAS_${column}`)];
  const types = { ...columnsOf(file), ...auditTail(file) };
  const row = [
    ...key.map((column) => exactCast(dialect, types[column])),
    ...[...columns, ...change].map((column) => openCast(dialect, types[column])),
    ...guards.map((column) => exactCast(dialect, types[column])),
  ].join(', ');
  const set = map
    .stored([...columns, ...change])
    .map((column) => `${own(column)} = S.${column}`)
    .join(', ');
  const constants = map.constants(name);
  const inserted = [...[...key, ...columns, ...tail].map(own), ...constants.map(([column]) => quoted(column))];
  const given = [
    ...[...key, ...columns, ...tail.map(asChange)].map((column) => `S.${column}`),
    ...constants.map(([, value]) => literal(value)),
  ];
  return [
    `merge into ${table(name)} as T`,
    `using (values ${Array.from({ length: count }, () => `(${row})`).join(', ')}) as S (${source.join(', ')})`,
    `on ${key.map((column) => `T.${own(column)} = S.${column}`).join(' and ')}`,
    ...(keepsExisting || set === ''
      ? []
      : [`when matched ${conditions.map((condition) => `and ${condition} `).join('')}then update set ${set}`]),
    ...(keepsMissing ? [] : [`when not matched then insert (${inserted.join(', ')})`, `values (${given.join(', ')})`]),
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

function namesIn(columns: Columns): string[] {
  return Object.keys(columns);
}

function matches({ column }: Pick<SqlNames, 'column'>, columns: readonly string[]): string {
  return columns.map((name) => `${column(name)} = ?`).join(' and ');
}

function assignments({ map, column }: Pick<SqlNames, 'map' | 'column'>, columns: readonly string[]): string {
  return map
    .stored(columns)
    .map((name) => `${column(name)} = ?`)
    .join(', ');
}

/** Values in the library's codes. */
function pick(map: LibraryMap, record: object, columns: readonly string[]): HostValue[] {
  return columns.map((column) => {
    const value: unknown = Reflect.get(record, column);
    if (Buffer.isBuffer(value)) return value;
    if (typeof value !== 'string') throw new TypeError(`no value for ${column}`);
    return map.toOwn(column, value);
  });
}

function changeTail({ prefix }: HostFile): string[] {
  return [`${prefix}UUSR`, `${prefix}UPGM`, `${prefix}UDAT`, `${prefix}UTIM`];
}

/** In a new row, creation and change are the same: `RSCUSR` has the value of `RSUUSR`. */
const asChange = (column: string): string => column.replace(/C(USR|PGM|DAT|TIM)$/, 'U$1');

/** The audit tail in the source of a MERGE: what a change or a new row needs. */
function mergeTail(map: LibraryMap, file: HostFile): string[] {
  const needed = new Set(map.stored(namesIn(auditTail(file))).map(asChange));
  return changeTail(file).filter((column) => needed.has(column));
}

function mergeStamp(map: LibraryMap, file: HostFile, stamp: AuditStamp): string[] {
  const needed = mergeTail(map, file);
  return stampOnce(stamp).filter((_value, index) => needed.includes(changeTail(file)[index] ?? ''));
}

function stampOnce({ user, program, date, time }: AuditStamp): string[] {
  return [user, program, date, time];
}

/** The values of those columns of an audit tail that the library has. */
function stampValues(map: LibraryMap, tail: readonly string[], values: readonly string[]): string[] {
  return values.filter((_value, index) => map.ownName(tail[index] ?? '') !== undefined);
}
