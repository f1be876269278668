import { auditTail, columnsOf } from '../files/columns.ts';
import { typeName } from '../files/dialect.ts';
import { triggerName, type DoorbellEvent } from '../files/doorbell-triggers.ts';
import { additionsSince, layoutVersion } from '../files/layout.ts';
import { namesOn, plainMap, type LibraryMap, type Place } from '../files/library-map.ts';
import { rightsOf } from '../files/rights.ts';
import { serviceProgram } from '../files/standin-schema.ts';
import { hostFile, hostFileNames, type HostFileName } from '../files/tables.ts';
import type { Db2Dialect } from './catalog.ts';

// The script by which a DBA creates the host's files, from the definitions that also make our statements. It has not
// run on a real Db2 yet, and its header states that.

type Db2Place = Place & { readonly dialect: Db2Dialect };

/** @param profile the service's user; it gets no more rights than it needs */
export function db2Script(dialect: Db2Dialect, library: string, map = plainMap, profile = serviceProgram): string {
  const end = dialect === 'db2i' ? ';' : '@';
  const place = { dialect, library, map };
  const { table: named, column, literal } = namesOn(place);
  const ringing = hostFileNames.filter((name) => hostFile(name).doorbell === 'rings');
  // A cell shares the library, and has a doorbell of its own.
  const created = hostFileNames.filter((name) => map.creates(name));
  const isOfCell = map.cellDoorbell !== undefined;
  const statements = [
    ...created.filter((name) => !isOfCell || name === 'PODCHGP').flatMap((name) => wholeFile(place, name)),
    ...(map.creates('PODCTLP') && !isOfCell
      ? [
          `insert into ${named('PODCTLP')} (${column('CTHOLD')}, ${column('CTLAY')}) values (${literal('CTHOLD', 'N')}, ${layoutVersion})`,
        ]
      : []),
    ...ringing.flatMap((name) => triggers(place, name)),
    ...hostFileNames.flatMap((name) => grants(place, name, profile)),
  ];
  return `${[...preface[dialect], ...statements.map((statement) => `${statement}${end}`)].join('\n\n')}\n`;
}

/**
 * The script that brings a library from an earlier layout to the present one. It only adds: programs that name their
 * columns go on unchanged. A second run fails at the first column that exists, and changes nothing.
 *
 * @param from as in PODCTLP (CTLAY); 1 where PODCTLP has no such column
 */
export function db2Additions(place: Db2Place, from: number, profile = serviceProgram): string {
  const { dialect } = place;
  const end = dialect === 'db2i' ? ';' : '@';
  const changed = additionsSince(from);
  const { table: named, column } = namesOn(place);
  const statements = changed.flatMap(({ file: name, columns }) => {
    if (columns) return [...addColumns(place, name, columns), ...grants(place, name, profile)];
    return [
      ...wholeFile(place, name),
      ...(hostFile(name).doorbell === 'rings' ? triggers(place, name) : []),
      ...grants(place, name, profile),
    ];
  });
  const version = changed.length === 0 ? [] : [`update ${named('PODCTLP')} set ${column('CTLAY')} = ${layoutVersion}`];
  const about = `-- From layout ${from} to ${layoutVersion}. Set CTHOLD = Y first: a change of a file needs it for itself.`;
  const all = [...statements, ...version].map((statement) => `${statement}${end}`);
  return `${[...preface[dialect], about, ...all].join('\n\n')}\n`;
}

const wholeFile = (place: Db2Place, name: HostFileName): string[] => [
  table(place, name),
  ...indexes(place, name),
  ...labels(place, name),
];

function addColumns(place: Db2Place, name: HostFileName, added: readonly string[]): string[] {
  const { map, table: named, column } = namesOn(place);
  const types = columnsOf(map.file(name));
  const columns = map.stored(Object.keys(types)).filter((known) => added.includes(known));
  const parts = columns.map((known) => `  add column ${column(known)} ${columnText(place, known)}`);
  return [`alter table ${named(name)}\n${parts.join('\n')}`, columnLabels(place, name, columns)];
}

const unproven = '-- Made from the definitions of the service. NOT YET RUN on a real Db2: to be reviewed by a DBA.';

const preface: { readonly [dialect in Db2Dialect]: readonly string[] } = {
  db2i: [
    unproven,
    '-- Db2 for i. Make the library with CREATE SCHEMA first: what lies in it is journaled then (docs/db2.md).',
  ],
  db2: [
    unproven,
    [
      '-- Db2 LUW. Run with: db2 -td@ -vf FILE. One character is one byte: the database has a single-byte code page',
      '-- (ISO8859-1), and a table space with pages of 32 KB.',
    ].join('\n'),
  ],
};

function table(place: Db2Place, name: HostFileName): string {
  const { map, table: named, column, quoted } = namesOn(place);
  const file = map.file(name);
  const columns = storedColumns(map, name).map((known) => `  ${column(known)} ${columnText(place, known)}`);
  const constants = map.constants(name).map(([known, value]) => `  ${quoted(known)} ${constantType(value)} not null`);
  const key = Object.keys(file.key).map(column);
  const parts = [...columns, ...constants, ...(key.length > 0 ? [`  primary key (${key.join(', ')})`] : [])];
  const format = place.dialect === 'db2i' ? ` rcdfmt ${file.name}R` : '';
  return `create table ${named(name)} (\n${parts.join(',\n')}\n)${format}`;
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
      return `${type} not null default 0`;
    case 'timestamp':
      return `${type} not null default current_timestamp`;
    case 'binary':
      return `${type} not null`;
    case 'identity':
      break;
  }
  return `${type} not null generated always as identity`;
}

function indexes(place: Db2Place, name: HostFileName): string[] {
  const { map, table: named, column } = namesOn(place);
  return map
    .file(name)
    .paths.map(
      (path, index) =>
        `create index ${place.library}.${name}X${index + 1} on ${named(name)} (${map.stored(path).map(column).join(', ')})`,
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
function triggers(place: Db2Place, name: HostFileName): string[] {
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
  map.stored(Object.keys({ ...columnsOf(map.file(name)), ...auditTail(map.file(name)) }));

const constantType = (value: string | number): string =>
  typeof value === 'number' ? 'decimal(15,0)' : `char(${Math.max(1, value.length)})`;
