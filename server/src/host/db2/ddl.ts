import { auditTail, columnsOf, type Column, type HostFile } from '../files/columns.ts';
import { typeName } from '../files/dialect.ts';
import { triggerName, type DoorbellEvent } from '../files/doorbell-triggers.ts';
import { additionsSince, layoutVersion } from '../files/layout.ts';
import { rightsOf } from '../files/rights.ts';
import { serviceProgram } from '../files/standin-schema.ts';
import { hostFile, hostFileNames } from '../files/tables.ts';
import type { Db2Dialect } from './catalog.ts';

// The script by which a DBA creates the host's files, from the definitions that also make our statements. It has not
// run on a real Db2 yet, and its header states that.

/** @param profile the service's user; it gets no more rights than it needs */
export function db2Script(dialect: Db2Dialect, library: string, profile = serviceProgram): string {
  const end = dialect === 'db2i' ? ';' : '@';
  const files = hostFileNames.map((name) => hostFile(name));
  const statements = [
    ...files.flatMap((file) => [
      table(dialect, library, file),
      ...indexes(library, file),
      ...labels(dialect, library, file),
    ]),
    `insert into ${library}.PODCTLP (CTHOLD, CTLAY) values ('N', ${layoutVersion})`,
    ...files.filter(({ doorbell }) => doorbell === 'rings').flatMap((file) => triggers(dialect, library, file)),
    ...files.flatMap((file) => grants(library, file, profile)),
  ];
  return `${[...preface[dialect], ...statements.map((statement) => `${statement}${end}`)].join('\n\n')}\n`;
}

/**
 * The script that brings a library from an earlier layout to the present one. It only adds: programs that name their
 * columns go on unchanged. A second run fails at the first column that exists, and changes nothing.
 *
 * @param from as in PODCTLP (CTLAY); 1 where PODCTLP has no such column
 */
export function db2Additions(dialect: Db2Dialect, library: string, from: number, profile = serviceProgram): string {
  const end = dialect === 'db2i' ? ';' : '@';
  const changed = additionsSince(from);
  const statements = changed.flatMap(({ file: name, columns }) => {
    const file = hostFile(name);
    if (columns) return [...addColumns(dialect, library, file, columns), ...grants(library, file, profile)];
    return [
      table(dialect, library, file),
      ...indexes(library, file),
      ...labels(dialect, library, file),
      ...(file.doorbell === 'rings' ? triggers(dialect, library, file) : []),
      ...grants(library, file, profile),
    ];
  });
  const version = changed.length === 0 ? [] : [`update ${library}.PODCTLP set CTLAY = ${layoutVersion}`];
  const about = `-- From layout ${from} to ${layoutVersion}. Set CTHOLD = Y first: a change of a file needs it for itself.`;
  const all = [...statements, ...version].map((statement) => `${statement}${end}`);
  return `${[...preface[dialect], about, ...all].join('\n\n')}\n`;
}

function addColumns(dialect: Db2Dialect, library: string, file: HostFile, names: readonly string[]): string[] {
  const added = Object.entries(columnsOf(file)).filter(([name]) => names.includes(name));
  const parts = added.map(([name, column]) => `  add column ${name} ${columnText(dialect, column)}`);
  return [`alter table ${library}.${file.name}\n${parts.join('\n')}`, columnLabels(dialect, library, file, added)];
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

function table(dialect: Db2Dialect, library: string, file: HostFile): string {
  const all = { ...columnsOf(file), ...auditTail(file) };
  const columns = Object.entries(all).map(([name, column]) => `  ${name} ${columnText(dialect, column)}`);
  const key = Object.keys(file.key);
  const parts = [...columns, ...(key.length > 0 ? [`  primary key (${key.join(', ')})`] : [])];
  const format = dialect === 'db2i' ? ` rcdfmt ${file.name}R` : '';
  return `create table ${library}.${file.name} (\n${parts.join(',\n')}\n)${format}`;
}

function columnText(dialect: Db2Dialect, column: Column): string {
  // Db2 for i takes CHAR of any length here; Db2 LUW ends at 255.
  const isLong = column.kind === 'char' && dialect === 'db2';
  const type = column.kind === 'char' && !isLong ? `char(${column.length})` : typeName(dialect, column);
  switch (column.kind) {
    case 'char':
      return `${type}${dialect === 'db2i' ? ' ccsid 37' : ''} not null default ' '`;
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

function indexes(library: string, file: HostFile): string[] {
  return file.paths.map(
    (path, index) =>
      `create index ${library}.${file.name}X${index + 1} on ${library}.${file.name} (${path.join(', ')})`,
  );
}

function labels(dialect: Db2Dialect, library: string, file: HostFile): string[] {
  const verb = dialect === 'db2i' ? 'label' : 'comment';
  return [
    `${verb} on table ${library}.${file.name} is ${quoted(file.text)}`,
    columnLabels(dialect, library, file, Object.entries({ ...columnsOf(file), ...auditTail(file) })),
  ];
}

function columnLabels(
  dialect: Db2Dialect,
  library: string,
  file: HostFile,
  texts: readonly (readonly [string, Column])[],
): string {
  if (dialect === 'db2i') {
    const columns = texts.map(([name, { text }]) => `  ${name} text is ${quoted(text.slice(0, 50))}`);
    return `label on column ${library}.${file.name} (\n${columns.join(',\n')}\n)`;
  }
  const columns = texts.map(([name, { text }]) => `  ${name} is ${quoted(text)}`);
  return `comment on ${library}.${file.name} (\n${columns.join(',\n')}\n)`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * Key-only triggers. They record changes of every program but the service, and swallow all errors: a trigger must never
 * fail the host's own program (the drift check finds missed changes).
 */
function triggers(dialect: Db2Dialect, library: string, file: HostFile): string[] {
  const trigger = (event: DoorbellEvent, rows: string, body: string[]) =>
    [
      `create or replace trigger ${library}.${triggerName(dialect, file.name, event)}`,
      `after ${event} on ${library}.${file.name} referencing ${rows} for each row mode db2sql`,
      `when (current client_applname <> '${serviceProgram}')`,
      'begin',
      '  declare continue handler for sqlexception begin end;',
      ...body.map((line) => `  ${line}`),
      'end',
    ].join('\n');
  const ring = (letter: string, row: string) => [
    `insert into ${library}.PODCHGP (CHFIL, CHOP, CHKEY, CHUSR, CHPGM)`,
    `values ('${file.name}', '${letter}', ${keyOf(file, row)}, left(session_user, 18), left(current client_applname, 18));`,
  ];
  return [
    trigger('insert', 'new as N', ring('I', 'N')),
    trigger('update', 'old as O new as N', [
      ...ring('U', 'N'),
      // A row that moved to another key: the doorbell gets both.
      `if ${keyOf(file, 'O')} <> ${keyOf(file, 'N')} then`,
      ...ring('U', 'O').map((line) => `  ${line}`),
      'end if;',
    ]),
    trigger('delete', 'old as O', ring('D', 'O')),
  ];
}

/** CHKEY: each key column at its full width; DIGITS pads a number with zeros. */
function keyOf(file: HostFile, row: string): string {
  return Object.entries(file.key)
    .map(([name, { kind }]) => (kind === 'decimal' ? `digits(${row}.${name})` : `${row}.${name}`))
    .join(' || ');
}

function grants(library: string, file: HostFile, profile: string): string[] {
  const granted = rightsOf(file);
  const rights = [
    'select',
    ...(granted.insert ? ['insert'] : []),
    ...(granted.delete ? ['delete'] : []),
    ...(granted.update.length > 0 ? [`update (${granted.update.join(', ')})`] : []),
  ];
  return [`grant ${rights.join(', ')} on ${library}.${file.name} to ${profile}`];
}
