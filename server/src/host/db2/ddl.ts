import { allColumnsOf } from '../files/columns.ts';
import { typeName } from '../files/dialect.ts';
import {
  changeSequence,
  numberedEvents,
  numberOf,
  numberTriggerName,
  triggerName,
  type DoorbellEvent,
} from '../files/triggers.ts';
import { additionsSince, layoutVersion, type ChangedFile } from '../files/layout.ts';
import { namesOn, plainMap, storedPaths, type LibraryMap, type Place } from '../files/library-map.ts';
import { rightsOf } from '../files/rights.ts';
import { serviceProgram } from '../files/standin-schema.ts';
import { hostFile, hostFileNames, type HostFileName } from '../files/tables.ts';
import type { Db2Dialect } from './catalog.ts';

// The script by which a DBA creates the host's files, from the definitions that also make our statements. It has not
// run on a real Db2 yet, and its header states that.

type Db2Place = Place & { readonly dialect: Db2Dialect };

/** In the order of the script: each may have another author, such as an administrator for the grants. */
export const scriptParts = ['owner', 'journal', 'triggers', 'grants'] as const;
export type ScriptPart = (typeof scriptParts)[number];

export interface ScriptOptions {
  /** By default all of them. */
  readonly parts?: readonly ScriptPart[];
  /** The service's user; it gets no more rights than it needs. */
  readonly profile?: string;
}

/** Creates what is missing: a second run changes nothing. */
export function db2Script(dialect: Db2Dialect, library: string, map = plainMap, options: ScriptOptions = {}): string {
  const place = { dialect, library, map };
  // A cell shares the library, and has a doorbell of its own.
  const isOfCell = map.cellDoorbell !== undefined;
  const created = hostFileNames.filter((name) => map.creates(name) && (!isOfCell || name === 'PODCHGP'));
  const last = map.creates('PODCTLP') && !isOfCell ? [switchRow(place)] : [];
  const files = created.map((file) => ({ file, columns: undefined, hasNewPaths: true }));
  return scriptOf(place, { about: [], files, triggered: hostFileNames, granted: hostFileNames, last }, options);
}

/**
 * The script that brings a library from an earlier layout to the present one. It only adds: programs that name their
 * columns go on unchanged. A second run changes nothing.
 *
 * @param from as in PODCTLP (CTLAY); 1 where PODCTLP has no such column
 */
export function db2Additions(place: Db2Place, from: number, options: ScriptOptions = {}): string {
  const { table: named, column } = namesOn(place);
  const files = additionsSince(from);
  const layout = column('CTLAY');
  const version = `update ${named('PODCTLP')} set ${layout} = ${layoutVersion} where ${layout} < ${layoutVersion}`;
  const about = `-- From layout ${from} to ${layoutVersion}. Set CTHOLD = Y first: a change of a file needs it for itself.`;
  const whole = files.flatMap(({ file, columns }) => (columns ? [] : [file]));
  const granted = [...new Set(files.map(({ file }) => file))];
  const last = files.length === 0 ? [] : [version];
  return scriptOf(place, { about: [about], files, triggered: whole, granted, last }, options);
}

/** The script for the comparison of routes in shadow, in a library of its own (SHADOW_LIBRARY). */
export function db2Comparison(place: Db2Place, options: ScriptOptions = {}): string {
  const files = [{ file: 'PODSHDP', columns: undefined, hasNewPaths: true }] as const;
  return scriptOf(place, { about: [], files, triggered: [], granted: ['PODSHDP'], last: [] }, options);
}

interface Script {
  readonly about: readonly string[];
  readonly files: readonly ChangedFile[];
  /** Files that get the triggers of the doorbell, where they ring it. */
  readonly triggered: readonly HostFileName[];
  readonly granted: readonly HostFileName[];
  /** The last statements of the owner’s part. */
  readonly last: readonly string[];
}

function scriptOf(place: Db2Place, script: Script, { parts = scriptParts, profile = serviceProgram }: ScriptOptions) {
  const { dialect } = place;
  const { about, files, triggered, granted, last } = script;
  const whole = files.flatMap(({ file, columns }) => (columns ? [] : [file]));
  const ringing = triggered.filter((name) => hostFile(name).doorbell === 'rings');
  const statements: { readonly [part in ScriptPart]: () => readonly string[] } = {
    owner: () => [
      ...(files.some((changed) => isNumbered(place, changed)) ? [sequence(place)] : []),
      ...files.flatMap((changed) => owned(place, changed)),
      ...last,
    ],
    journal: () => (dialect === 'db2i' ? whole.map((name) => journaled(place, name)) : []),
    triggers: () => [
      ...ringing.flatMap((name) => doorbellTriggers(place, name)),
      ...files.filter((changed) => isNumbered(place, changed)).flatMap(({ file }) => numberTriggers(place, file)),
    ],
    grants: () => granted.flatMap((name) => grants(place, name, profile)),
  };
  const end = dialect === 'db2i' ? ';' : '@';
  const sections = parts.flatMap((part) => [
    `-- Part ${part}: ${partTexts[dialect][part]}`,
    ...statements[part]().map((statement) => `${statement}${end}`),
  ]);
  return `${[...preface[dialect], ...about, ...sections].join('\n\n')}\n`;
}

const unproven = '-- Made from the definitions of the service. NOT YET RUN on a real Db2: to be reviewed by a DBA.';
const repeatable = '-- It can be run again: what exists stays as it is.';

const preface: { readonly [dialect in Db2Dialect]: readonly string[] } = {
  db2i: [
    unproven,
    [
      '-- Db2 for i. Make the library with CREATE SCHEMA first: what lies in it is journaled then (docs/db2.md).',
      repeatable,
    ].join('\n'),
  ],
  db2: [
    unproven,
    [
      '-- Db2 LUW. Run with: db2 -td@ -vf FILE. One character is one byte: the database has a single-byte code page',
      '-- (ISO8859-1), and a table space with pages of 32 KB.',
      repeatable,
    ].join('\n'),
  ],
};

const inCommon = {
  owner: 'files, access paths and texts, by their owner.',
  triggers: 'by the owner of the files. Leave the doorbell out where no triggers are allowed.',
  grants: 'the authorities of the service, by an administrator.',
} as const;

const partTexts: { readonly [dialect in Db2Dialect]: { readonly [part in ScriptPart]: string } } = {
  db2i: { ...inCommon, journal: 'only for a library of CRTLIB; a schema of CREATE SCHEMA journals its files itself.' },
  db2: { ...inCommon, journal: 'nothing to do. Db2 LUW logs every file.' },
};

/** SQLSTATEs of what exists already: an object, a column; and that of a command of the host that fails. */
const EXISTS = { object: '42710', column: '42711', command: '38501' } as const;

/** A statement that goes on where its object exists. Other failures stay failures. */
function unlessThere(what: keyof typeof EXISTS, statement: string): string {
  return [
    'begin',
    `  declare continue handler for sqlstate '${EXISTS[what]}' begin end;`,
    `  execute immediate ${quoted(`\n${statement}`)};`,
    'end',
  ].join('\n');
}

function owned(place: Db2Place, { file, columns, hasNewPaths }: ChangedFile): string[] {
  const paths = hasNewPaths ? indexes(place, file) : [];
  if (columns) return [...addColumns(place, file, columns), ...paths];
  return [table(place, file), ...paths, ...labels(place, file)];
}

const sequence = ({ library }: Db2Place): string =>
  unlessThere(
    'object',
    `create sequence ${library}.${changeSequence} as bigint start with 1 increment by 1 no cycle cache 100`,
  );

/** Whether the host assigns a number with each change of this file, and did not before. */
function isNumbered({ map = plainMap }: Db2Place, { file, columns }: ChangedFile): boolean {
  const number = numberOf(map.file(file), map);
  return number !== undefined && (columns === undefined || columns.includes(number));
}

/** Gives each changed row the next number of the library, for a change by any program. */
function numberTriggers(place: Db2Place, name: HostFileName): string[] {
  const { dialect, library } = place;
  const { map, table: named, of } = namesOn(place);
  const number = numberOf(map.file(name), map) ?? '';
  const mode = dialect === 'db2i' ? ' mode db2row' : '';
  return numberedEvents.map((event) =>
    [
      `create or replace trigger ${library}.${numberTriggerName(dialect, name, event)}`,
      `no cascade before ${event} on ${named(name)} referencing new as N for each row${mode}`,
      `set ${of('N', number)} = next value for ${library}.${changeSequence}`,
    ].join('\n'),
  );
}

function switchRow(place: Db2Place): string {
  const { table: named, column, literal } = namesOn(place);
  return [
    `insert into ${named('PODCTLP')} (${column('CTHOLD')}, ${column('CTLAY')})`,
    `select ${literal('CTHOLD', 'N')}, ${layoutVersion} from SYSIBM.SYSDUMMY1 where not exists (select 1 from ${named('PODCTLP')})`,
  ].join('\n');
}

function addColumns(place: Db2Place, name: HostFileName, added: readonly string[]): string[] {
  const { map, table: named, column } = namesOn(place);
  const columns = map.stored(added);
  if (columns.length === 0) return [];
  const parts = columns.map((known) => `  add column ${column(known)} ${columnText(place, known)}`);
  return [unlessThere('column', `alter table ${named(name)}\n${parts.join('\n')}`), columnLabels(place, name, columns)];
}

/** One command a file: it fails where the file is journaled already. */
function journaled(place: Db2Place, name: HostFileName): string {
  const { library } = place;
  const command = `STRJRNPF FILE(${library}/${namesOn(place).map.table(name)}) JRN(${library}/QSQJRN) IMAGES(*BOTH)`;
  return unlessThere('command', `call QSYS2.QCMDEXC(${quoted(command)})`);
}

function table(place: Db2Place, name: HostFileName): string {
  const { map, table: named, column, quoted } = namesOn(place);
  const file = map.file(name);
  const columns = storedColumns(map, name).map((known) => `  ${column(known)} ${columnText(place, known)}`);
  const constants = map.constants(name).map(([known, value]) => `  ${quoted(known)} ${constantType(value)} not null`);
  const key = Object.keys(file.key).map(column);
  const parts = [...columns, ...constants, ...(key.length > 0 ? [`  primary key (${key.join(', ')})`] : [])];
  const format = place.dialect === 'db2i' ? ` rcdfmt ${file.name}R` : '';
  return unlessThere('object', `create table ${named(name)} (\n${parts.join(',\n')}\n)${format}`);
}

function columnText({ dialect, map = plainMap }: Db2Place, name: string): string {
  const column = map.definition(name);
  const blank = column.kind === 'char' ? map.toOwn(name, '') : '';
  // Db2 for i takes CHAR of any length here; Db2 LUW ends at 255.
  const isLong = column.kind === 'char' && dialect === 'db2';
  const type = column.kind === 'char' && !isLong ? `char(${column.length})` : typeName(dialect, column);
  switch (column.kind) {
    case 'char':
      return `${type}${dialect === 'db2i' ? ` ccsid ${map.ccsid}` : ''} not null default '${blank === '' ? ' ' : blank}'`;
    case 'decimal':
    case 'changeNumber':
      return `${type} not null default 0`;
    case 'timestamp':
      return `${type} not null default current_timestamp`;
    case 'changedAt':
      return `${type} not null generated always for each row on update as row change timestamp`;
    case 'binary':
      return `${type} not null`;
    case 'identity':
      break;
  }
  return `${type} not null generated always as identity`;
}

function indexes(place: Db2Place, name: HostFileName): string[] {
  const { map, table: named, column } = namesOn(place);
  return storedPaths(map, name).map((path, index) =>
    unlessThere(
      'object',
      `create index ${place.library}.${name}X${index + 1} on ${named(name)} (${path.map(column).join(', ')})`,
    ),
  );
}

function labels(place: Db2Place, name: HostFileName): string[] {
  const { map, table: named } = namesOn(place);
  const verb = place.dialect === 'db2i' ? 'label' : 'comment';
  return [
    `${verb} on table ${named(name)} is ${quoted(hostFile(name).text)}`,
    columnLabels(place, name, storedColumns(map, name)),
  ];
}

function columnLabels(place: Db2Place, name: HostFileName, columns: readonly string[]): string {
  const { map, table: named, column } = namesOn(place);
  const texts = columns.map((known): [string, string] => [column(known), map.definition(known).text]);
  if (place.dialect === 'db2i') {
    const labelled = texts.map(([known, text]) => `  ${known} text is ${quoted(text.slice(0, 50))}`);
    return `label on column ${named(name)} (\n${labelled.join(',\n')}\n)`;
  }
  const commented = texts.map(([known, text]) => `  ${known} is ${quoted(text)}`);
  return `comment on ${named(name)} (\n${commented.join(',\n')}\n)`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Key-only triggers. They record changes of every program but the service, and swallow all errors: a trigger must never
 * fail the host's own program (the drift check finds missed changes).
 */
function doorbellTriggers(place: Db2Place, name: HostFileName): string[] {
  const { dialect, library } = place;
  const { table: named, column } = namesOn(place);
  const trigger = (event: DoorbellEvent, rows: string, body: string[]) =>
    [
      `create or replace trigger ${library}.${triggerName(dialect, name, event, place.map?.cellDoorbell)}`,
      `after ${event} on ${named(name)} referencing ${rows} for each row mode db2sql`,
      `when (current client_applname <> '${serviceProgram}')`,
      'begin',
      '  declare continue handler for sqlexception begin end;',
      ...body.map((line) => `  ${line}`),
      'end',
    ].join('\n');
  const line = ['CHFIL', 'CHOP', 'CHKEY', 'CHUSR', 'CHPGM'].map((known) => column(known)).join(', ');
  const ring = (letter: string, row: string) => [
    `insert into ${named('PODCHGP')} (${line})`,
    `values ('${name}', '${letter}', ${keyOf(place, name, row)}, left(session_user, 18), left(current client_applname, 18));`,
  ];
  return [
    trigger('insert', 'new as N', ring('I', 'N')),
    trigger('update', 'old as O new as N', [
      ...ring('U', 'N'),
      // A row that moved to another key: the doorbell gets both.
      `if ${keyOf(place, name, 'O')} <> ${keyOf(place, name, 'N')} then`,
      ...ring('U', 'O').map((text) => `  ${text}`),
      'end if;',
    ]),
    trigger('delete', 'old as O', ring('D', 'O')),
  ];
}

/** CHKEY: each key column at its full width; DIGITS pads a number with zeros. */
function keyOf(place: Db2Place, name: HostFileName, row: string): string {
  const { map, of } = namesOn(place);
  return Object.entries(map.file(name).key)
    .map(([column, { kind }]) => (kind === 'decimal' ? `digits(${of(row, column)})` : of(row, column)))
    .join(' || ');
}

function grants(place: Db2Place, name: HostFileName, profile: string): string[] {
  const { map, table: named, column } = namesOn(place);
  const granted = rightsOf(hostFile(name));
  const updated = map.stored(granted.update).map(column);
  const rights = [
    'select',
    ...(granted.insert ? ['insert'] : []),
    ...(granted.delete ? ['delete'] : []),
    ...(updated.length > 0 ? [`update (${updated.join(', ')})`] : []),
  ];
  return [`grant ${rights.join(', ')} on ${named(name)} to ${profile}`];
}

/** Our columns that the library has, the audit tail last. */
const storedColumns = (map: LibraryMap, name: HostFileName): string[] =>
  map.stored(Object.keys(allColumnsOf(map.file(name))));

const constantType = (value: string | number): string =>
  typeof value === 'number' ? 'decimal(15,0)' : `char(${Math.max(1, value.length)})`;
