import type { Ccsid } from './ccsid.ts';
import { allColumnsOf, type Column, type Columns, type HostFile, type HostValue } from './columns.ts';
import { typeName, type Dialect } from './dialect.ts';
import { hostFile, hostFileNames, type HostFileName } from './tables.ts';

// The library's own names, lengths and codes for the files of `tables.ts`. Records keep our names and values everywhere;
// statements, DDL and reads translate them by this map.

/** A column of a file in the library. */
export interface OwnColumn {
  /** Its name there; by default ours. */
  readonly name?: string | undefined;
  /** Its length in characters, or its digits. */
  readonly length?: number | undefined;
  /** Our value → its value. */
  readonly codes?: { readonly [ours: string]: string } | undefined;
  /** The library has no such column: it reads as this value. */
  readonly constant?: string | number | undefined;
  /** The service neither reads nor writes it. */
  readonly skip?: boolean | undefined;
}

/** A file in the library. */
export interface OwnFile {
  readonly table?: string | undefined;
  /** False: the table exists already, and scripts do not create it. */
  readonly create?: boolean | undefined;
  readonly columns?: { readonly [column: string]: OwnColumn } | undefined;
  /** Columns of the table that the service does not know, and their values in each row that it inserts. */
  readonly constants?: { readonly [column: string]: string | number } | undefined;
}

export type OwnFiles = { readonly [Name in HostFileName]?: OwnFile };

/** Marks a value of the library that has no code. */
const MEANS_ELSE = '?';

type OwnRow = { [column: string]: HostValue };

interface MappedColumn {
  readonly definition: Column;
  /** Undefined: the library has no such column. */
  readonly name: string | undefined;
  readonly constant: string | number;
  readonly toOwn: ReadonlyMap<string, string> | undefined;
  readonly toOurs: ReadonlyMap<string, string> | undefined;
}

interface MappedFile {
  readonly definition: HostFile;
  readonly table: string;
  readonly creates: boolean;
  readonly constants: readonly (readonly [string, string | number])[];
}

export class LibraryMap {
  readonly #files = new Map<HostFileName, MappedFile>();
  /** A file's two letters make its columns' names unique on the host. */
  readonly #columns = new Map<string, MappedColumn>();
  readonly #coded: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Whether the library has our names and values. */
  readonly isPlain: boolean;
  /** The code page of its texts on Db2 for i. */
  readonly ccsid: Ccsid;
  /** The doorbell of one of several cells that share the library; undefined: PODCHGP. */
  readonly cellDoorbell: string | undefined;
  /** Columns of a later layout that the library does not have yet. */
  readonly absent: readonly string[];
  readonly #own: OwnFiles;

  constructor(files: OwnFiles = {}, ccsid: Ccsid = '37', cellDoorbell?: string, absent: readonly string[] = []) {
    this.#own = files;
    this.ccsid = ccsid;
    this.cellDoorbell = cellDoorbell;
    this.absent = absent;
    this.isPlain = Object.keys(files).length === 0 && absent.length === 0;
    for (const name of [...hostFileNames, 'PODSHDP'] as const) {
      const own: OwnFile = files[name] ?? {};
      const ofCell = name === 'PODCHGP' ? cellDoorbell : undefined;
      const {
        table = name,
        create = true,
        columns = {},
        constants = {},
      }: OwnFile = ofCell === undefined ? own : { ...own, table: ofCell, create: true };
      const definition = this.isPlain ? hostFile(name) : withLengths(hostFile(name), columns);
      this.#files.set(name, { definition, table, creates: create, constants: Object.entries(constants) });
      for (const [column, type] of Object.entries(allColumnsOf(definition)))
        this.#columns.set(column, mappedColumn(column, type, absent.includes(column) ? lacking : columns[column]));
    }
    this.#coded = new Map([...this.#columns].flatMap(([name, { toOurs }]) => (toOurs ? [[name, toOurs]] : [])));
  }

  /** The same library with texts in this code page. */
  inCcsid(ccsid: Ccsid): LibraryMap {
    return ccsid === this.ccsid ? this : new LibraryMap(this.#own, ccsid, this.cellDoorbell, this.absent);
  }

  /** The same library for a cell with a doorbell of its own. */
  withDoorbell(name: string): LibraryMap {
    return new LibraryMap(this.#own, this.ccsid, name, this.absent);
  }

  /** The same library without these columns: statements leave them out, and rows have blanks and zeros there. */
  without(columns: readonly string[]): LibraryMap {
    return new LibraryMap(this.#own, this.ccsid, this.cellDoorbell, columns);
  }

  /** The definition with the library's lengths, under our names. */
  file(name: HostFileName): HostFile {
    return this.#mapped(name).definition;
  }

  /** The table's name in the library. */
  table(name: HostFileName): string {
    return this.#mapped(name).table;
  }

  /** Whether scripts create the table. */
  creates(name: HostFileName): boolean {
    return this.#mapped(name).creates;
  }

  /** Columns that the service does not know, and their values in rows that it inserts. */
  constants(name: HostFileName): readonly (readonly [string, string | number])[] {
    return this.#mapped(name).constants;
  }

  /** The column's name in the library; undefined where it has none. */
  ownName(column: string): string | undefined {
    return this.#column(column).name;
  }

  /** The value of a column that the library lacks. */
  constant(column: string): string | number {
    return this.#column(column).constant;
  }

  definition(column: string): Column {
    return this.#column(column).definition;
  }

  /** Those of these columns that the library has. */
  stored<Name extends string>(columns: readonly Name[]): Name[] {
    return columns.filter((column) => this.ownName(column) !== undefined);
  }

  /** Whether the service writes columns of this file: the library may have none of them. */
  writes(name: HostFileName): boolean {
    return this.stored(Object.keys(this.file(name).service)).length > 0;
  }

  /** Our value in the library's code. */
  toOwn(column: string, value: string): string {
    const { toOwn } = this.#column(column);
    if (toOwn === undefined) return value;
    return toOwn.get(value) ?? (value.startsWith(MEANS_ELSE) ? value.slice(MEANS_ELSE.length) : value);
  }

  /**
   * A value of the library in our code. A value without a code that is one of ours means something else there: `D` becomes
   * `?D`, which no rule takes for a known one, and which compares with the host as its `D`.
   */
  toOurs(column: string, value: string): string {
    const codes = this.#coded.get(column);
    if (!codes) return value;
    const known = codes.get(value);
    if (known !== undefined) return known;
    const meansElse = value.startsWith(MEANS_ELSE) || [...codes.values()].includes(value.toUpperCase());
    return meansElse ? `${MEANS_ELSE}${value}` : value;
  }

  /** A row with our codes; its columns have our names already. */
  decoded(row: OwnRow): OwnRow {
    if (this.#coded.size === 0) return row;
    return Object.fromEntries(
      Object.entries(row).map(([column, value]): [string, HostValue] => [
        column,
        typeof value === 'string' ? this.toOurs(column, value) : value,
      ]),
    );
  }

  #mapped(name: HostFileName): MappedFile {
    const mapped = this.#files.get(name);
    if (!mapped) throw new TypeError(`there is no file ${name}`);
    return mapped;
  }

  #column(name: string): MappedColumn {
    const column = this.#columns.get(name);
    if (!column) throw new TypeError(`no file has a column ${name}`);
    return column;
  }
}

/** The access paths of a file beside its key, without columns that the library lacks. */
export function storedPaths(map: LibraryMap, name: HostFileName): string[][] {
  return map
    .file(name)
    .paths.map((path) => map.stored(path))
    .filter((path) => path.length > 0);
}

/** A library with our own names, lengths and codes. */
export const plainMap = new LibraryMap();

/** A library on a host; without a map it has our names. */
export interface Place {
  readonly dialect: Dialect;
  readonly library: string;
  readonly map?: LibraryMap | undefined;
}

/** Names and literals of a library in SQL. */
export interface SqlNames {
  readonly map: LibraryMap;
  /** With the library in front. */
  readonly table: (file: HostFileName) => string;
  /** A column; its constant where the library has none. */
  readonly column: (name: string) => string;
  /** A column of a table with this name in the statement. */
  readonly of: (alias: string, name: string) => string;
  /** An item of a select list, which comes back under our name. */
  readonly selected: (name: string) => string;
  /** A text in the code of its column. */
  readonly literal: (column: string, value: string) => string;
  /** A name of the library that is not ours. */
  readonly quoted: (name: string) => string;
}

export function namesOn({ dialect, library, map = plainMap }: Place): SqlNames {
  const quoted = (name: string): string => `"${dialect === 'postgres' ? name.toLowerCase() : name}"`;
  const named = (own: string, ours: string): string => (own === ours ? ours : quoted(own));
  const column = (name: string): string => {
    const own = map.ownName(name);
    if (own !== undefined) return named(own, name);
    return `cast(${literal(map.constant(name))} as ${typeName(dialect, map.definition(name))})`;
  };
  return {
    map,
    table: (file) => `${library}.${named(map.table(file), file)}`,
    column,
    of: (alias, name) => (map.ownName(name) === undefined ? column(name) : `${alias}.${column(name)}`),
    selected: (name) => (map.ownName(name) === name ? name : `${column(name)} as ${name}`),
    literal: (name, value) => literal(map.toOwn(name, value)),
    quoted,
  };
}

/** Texts of people. A shorter column of a library cuts them; every other value has to fit as it is. */
const personsTexts: ReadonlySet<string> = new Set(['RUSNAM', 'RUCMT', 'RUSKCM', 'OSCMT']);

export const isPersonsText = (column: string): boolean => personsTexts.has(column);

/** A value in SQL. */
export const literal = (value: string | number): string =>
  typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;

const lacking: OwnColumn = { skip: true };

function mappedColumn(column: string, definition: Column, own: OwnColumn = {}): MappedColumn {
  const { name = column, codes, constant, skip = false } = own;
  const values = definition.kind === 'char' ? (definition.values ?? []) : [];
  const pairs = codes && values.map((value): [string, string] => [value, codes[value] ?? value]);
  return {
    definition,
    name: skip || constant !== undefined ? undefined : name,
    constant: constant ?? (definition.kind === 'char' ? '' : 0),
    toOwn: pairs && new Map(pairs),
    toOurs: pairs && new Map(pairs.map(([ours, theirs]) => [theirs, ours])),
  };
}

function withLengths(file: HostFile, own: { readonly [column: string]: OwnColumn }): HostFile {
  const sized = (columns: Columns): Columns =>
    Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, resized(column, own[name]?.length)]));
  return { ...file, key: sized(file.key), host: sized(file.host), service: sized(file.service) };
}

function resized(column: Column, length: number | undefined): Column {
  if (length === undefined) return column;
  if (column.kind === 'decimal') return { ...column, precision: length };
  return column.kind === 'char' ? { ...column, length } : column;
}
