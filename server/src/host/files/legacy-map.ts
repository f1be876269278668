import { z } from 'zod';
import { allColumnsOf, type Column, type HostFile } from './columns.ts';
import { isPersonsText, LibraryMap, type OwnColumn, type OwnFile, type OwnFiles } from './library-map.ts';
import { rightsOf } from './rights.ts';
import { hostFile, hostFileNames, isHostFileName, type HostFileName } from './tables.ts';

// LEGACY_MAP: a library with names, lengths and codes of its own. Everything that cannot be mapped is refused here, with
// the place in the file.

/** A name on Db2, in capital letters. */
const ownName = z
  .string()
  .regex(/^[A-Z#@$][A-Z0-9_#@$]{0,29}$/, 'expected a name of the library in capital letters, such as ROUTE#');
const value = z.union([z.string().max(60), z.number().int()], 'expected a text or a whole number');
const columnSchema = z.strictObject({
  name: ownName.optional(),
  length: z.int('expected a whole number').min(1).max(256).optional(),
  codes: z.record(z.string(), z.string('expected a text')).optional(),
  constant: value.optional(),
  skip: z.literal(true, 'expected true').optional(),
});
const fileSchema = z.strictObject({
  table: ownName.optional(),
  create: z.boolean('expected true or false').optional(),
  columns: z
    .record(
      z.string(),
      z.preprocess((written) => (typeof written === 'string' ? { name: written } : written), columnSchema),
    )
    .optional(),
  constants: z.record(ownName, value).optional(),
});
const schema = z.strictObject({ files: z.record(z.string(), fileSchema) });

/** A map that cannot be used; each line names a place in the file. */
export class LegacyMapError extends Error {
  override readonly name = 'LegacyMapError';
}

/** @param text the content of the file, JSON @throws LegacyMapError */
export function parseLegacyMap(text: string): LibraryMap {
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch (cause) {
    throw new LegacyMapError(`no JSON: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  const { success, data, error } = schema.safeParse(written);
  if (!success) throw refused(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
  const faults = Object.entries(data.files).flatMap(([name, own]) =>
    isHostFileName(name)
      ? fileFaults(name, own)
      : [`files.${name}: there is no such file, but ${hostFileNames.join(' ')}`],
  );
  if (faults.length > 0) throw refused(faults);
  const files: OwnFiles = data.files;
  const map = new LibraryMap(files);
  const wholeFaults = [...tableFaults(map), ...keyFaults(map)];
  if (wholeFaults.length > 0) throw refused(wholeFaults);
  return map;
}

const refused = (faults: readonly string[]): LegacyMapError => new LegacyMapError(faults.join('\n'));

/** Columns without which the service cannot work, beside the keys. */
const needed = new Map<string, string>([
  ...['RQRPSQ', 'OSRPSQ', 'RURPSQ'].map((name): [string, string] => [name, 'it orders the writes of a row']),
  ['OSDELF', 'rows are flagged and never deleted'],
  ...['ACLEN', 'ACDTA', 'AHCHKN', 'AHSTS'].map((name): [string, string] => [name, 'a file is complete by it']),
  ...['CHFIL', 'CHOP', 'CHKEY', 'CHUSR', 'CHTS'].map((name): [string, string] => [name, 'the doorbell needs it']),
  ...['CTHOLD', 'CTTS', 'CTLAY'].map((name): [string, string] => [name, 'the switch needs it']),
  ['RSCUS', 'a stop without a customer cannot be delivered'],
]);

function fileFaults(name: HostFileName, own: OwnFile): string[] {
  const definition = hostFile(name);
  const all = allColumnsOf(definition);
  const columns = Object.entries(own.columns ?? {}).flatMap(([column, entry]) => {
    const at = `files.${name}.columns.${column}`;
    const type = all[column];
    if (!type) return [`${at}: ${name} has no such column`];
    return columnFaults(definition, column, type, entry).map((fault) => `${at}${fault}`);
  });
  const used = new Map<string, string>();
  const names = Object.keys(all).flatMap((column) => {
    const entry = own.columns?.[column] ?? {};
    if (entry.skip || entry.constant !== undefined) return [];
    const there = entry.name ?? column;
    const at = `files.${name}.columns.${column}.name`;
    const other = used.get(there);
    used.set(there, column);
    if (other !== undefined) return [`${at}: ${there} is ${other} already`];
    if (there !== column && there in all) return [`${at}: ${there} is the name of another column of ours`];
    return own.constants && there in own.constants ? [`files.${name}.constants.${there}: it is ${column} already`] : [];
  });
  return [...columns, ...names];
}

function columnFaults(file: HostFile, column: string, type: Column, own: OwnColumn): string[] {
  const { length, codes, constant, skip } = own;
  const isAbsent = skip === true || constant !== undefined;
  const others = Object.keys(own).filter((part) => part !== 'skip' && part !== 'constant');
  return [
    ...(skip && constant !== undefined ? ['.constant: expected either skip or constant'] : []),
    ...(isAbsent && others.length > 0 ? [`.${others[0]}: the library has no such column`] : []),
    ...(isAbsent && column in file.key ? [`: ${column} is a part of the key`] : []),
    ...(isAbsent && needed.has(column) ? [`: the service cannot do without it: ${needed.get(column)}`] : []),
    ...(constant !== undefined && column in file.assigned ? ['.constant: the host assigns this column; use skip'] : []),
    ...(constant !== undefined && column in file.service
      ? ['.constant: the service writes this column; use skip']
      : []),
    ...(constant === undefined || column in file.assigned ? [] : constantFault(type, constant)),
    ...(length === undefined ? [] : lengthFault(file, column, type, length)),
    ...(codes === undefined ? [] : codeFaults(type, codes, length)),
  ];
}

function constantFault(type: Column, constant: string | number): string[] {
  if (type.kind === 'decimal')
    return typeof constant === 'number' ? [] : ['.constant: expected a number, as the column has'];
  if (type.kind !== 'char' || typeof constant === 'number') return ['.constant: expected a text, as the column has'];
  if (type.values && !type.values.includes(constant))
    return [`.constant: expected one of our values ${type.values.join(' ')}`];
  return constant.length > type.length ? [`.constant: longer than ${type.length} characters`] : [];
}

/**
 * Host columns can have any length, and texts of people are cut; what the service makes must fit. So must the keys of rows
 * that it inserts: two keys that are cut to one would be one row.
 */
function lengthFault(file: HostFile, column: string, type: Column, length: number): string[] {
  if (type.kind !== 'char' && type.kind !== 'decimal') return ['.length: this kind of column has none'];
  const ours = type.kind === 'char' ? type.length : type.precision;
  const isKeyOfOurs = column in file.key && rightsOf(file).insert && !isOfRouteKey(file, column);
  const isOurs = column in file.service || isKeyOfOurs || !(column in { ...file.key, ...file.host });
  const mayBeShorter = !isOurs || isPersonsText(column);
  return length < ours && !mayBeShorter
    ? [`.length: expected at least ${ours}: the service writes values of that length`]
    : [];
}

function codeFaults(type: Column, codes: { readonly [ours: string]: string }, length: number | undefined): string[] {
  const values = type.kind === 'char' ? type.values : undefined;
  if (!values || type.kind !== 'char') return ['.codes: this column has no fixed values'];
  const unknown = Object.keys(codes).filter((ours) => !values.includes(ours));
  if (unknown.length > 0)
    return [
      `.codes.${unknown[0]}: expected one of our values: ${values.map((ours) => ours || '"" (blank)').join(', ')}`,
    ];
  const seen = new Map<string, string>();
  return values.flatMap((ours) => {
    const theirs = codes[ours] ?? ours;
    const other = seen.get(theirs);
    seen.set(theirs, ours);
    if (theirs.length > (length ?? type.length)) return [`.codes.${ours}: ${theirs} is longer than the column`];
    if (theirs !== theirs.trimEnd()) return [`.codes.${ours}: ends in a blank`];
    return other === undefined
      ? []
      : [`.codes: ${ours || 'blank'} and ${other || 'blank'} are both ${theirs || 'blank'}`];
  });
}

function tableFaults(map: LibraryMap): string[] {
  const used = new Map<string, HostFileName>();
  return hostFileNames.flatMap((name) => {
    const table = map.table(name);
    const other = used.get(table);
    used.set(table, name);
    return other === undefined ? [] : [`files.${name}.table: ${table} is ${other} already`];
  });
}

/** A route's key has one length in all files, and a line of the doorbell holds each key. */
function keyFaults(map: LibraryMap): string[] {
  const lengths = new Map<string, [file: string, length: number]>();
  const doorbell = widthOf(map.definition('CHKEY'));
  return hostFileNames.flatMap((name) => {
    const { key, prefix, doorbell: rings } = map.file(name);
    const width = Object.values(key).reduce((sum, column) => sum + widthOf(column), 0);
    const tooWide =
      rings === 'rings' && width > doorbell
        ? [`files.${name}: its key has ${width} characters, CHKEY ${doorbell}`]
        : [];
    const others = Object.entries(key).flatMap(([column, definition]) => {
      if (!isOfRouteKey({ prefix }, column)) return [];
      const part = column.slice(prefix.length);
      const [file, length] = lengths.get(part) ?? [name, widthOf(definition)];
      lengths.set(part, [file, length]);
      return length === widthOf(definition)
        ? []
        : [`files.${name}.columns.${column}.length: expected ${length}, as in ${file}`];
    });
    return [...tooWide, ...others];
  });
}

/** The host gives routes and stops their keys. */
const isOfRouteKey = ({ prefix }: Pick<HostFile, 'prefix'>, column: string): boolean =>
  ['FAC', 'RTE', 'WKE', 'STP'].includes(column.slice(prefix.length));

function widthOf(column: Column): number {
  if (column.kind === 'char') return column.length;
  return column.kind === 'decimal' ? column.precision : 0;
}
