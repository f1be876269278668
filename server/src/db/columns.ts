import {
  boolArray,
  byteaArray,
  instantArray,
  int2Array,
  int4Array,
  int8Array,
  textArray,
  uuidArray,
} from './arrays.ts';
import { statement, type NamedStatement } from './statement.ts';

/** A column: its PostgreSQL type, and the encoding of entries as its array parameter. */
export interface Column<Entry> {
  readonly type: string;
  readonly encode: (entries: readonly Entry[]) => Buffer;
}

/** Makes columns of one type: `text(({ key }) => key.facility)`. */
const columnOf =
  <Value>(type: string, arrayOf: (values: readonly Value[]) => Buffer) =>
  <Entry>(value: (entry: Entry, index: number) => Value): Column<Entry> => ({
    type,
    encode: (entries) => arrayOf(entries.map(value)),
  });

export const text = columnOf('text', textArray);
export const bytea = columnOf('bytea', byteaArray);
export const bool = columnOf('boolean', boolArray);
export const int2 = columnOf('smallint', int2Array);
export const int4 = columnOf('integer', int4Array);
export const int8 = columnOf('bigint', int8Array);
export const instant = columnOf('timestamptz', instantArray);
export const uuid = columnOf('uuid', uuidArray);

/** A statement over columns. One definition gives its text and its parameters. */
export interface ColumnStatement<Entry> extends NamedStatement {
  readonly parameters: (entries: readonly Entry[]) => Buffer[];
}

export interface Columns<Entry> {
  /** `facility, id, week_end` */
  readonly names: string;
  /** `unnest($1::text[], $2::text[], $3::text[])` */
  readonly unnest: string;
  /** `unnest(…) as k (facility, id, week_end)` */
  readonly rows: string;
  readonly parameters: (entries: readonly Entry[]) => Buffer[];
  readonly statement: (name: string, text: string) => ColumnStatement<Entry>;
}

/**
 * Columns of a statement that takes many entries at once, one array parameter a column.
 *
 * @param after how many parameters of the statement come before these
 */
export function columns<Entry>(definition: Record<string, Column<Entry>>, after = 0): Columns<Entry> {
  const list = Object.values(definition);
  const names = Object.keys(definition).join(', ');
  const unnest = `unnest(${list.map(({ type }, index) => `$${after + index + 1}::${type}[]`).join(', ')})`;
  const parameters = (entries: readonly Entry[]) => list.map(({ encode }) => encode(entries));
  return {
    names,
    unnest,
    rows: `${unnest} as k (${names})`,
    parameters,
    statement: (name, sql) => ({ ...statement(name, sql), parameters }),
  };
}
