import { readFile } from 'node:fs/promises';
import { escapeHidden, escapeHiddenInLines } from '../../runtime/hidden-characters.ts';
import { misuseOf, readWords, type Manual } from '../../runtime/command-line.ts';
import { StartError } from '../../runtime/start-error.ts';
import { db2Additions, db2Comparison, db2Script, scriptParts, type ScriptPart } from '../db2/ddl.ts';
import { allColumnsOf, type HostValue } from '../files/columns.ts';
import { dialects, isDialect, readCommitted, type Dialect } from '../files/dialect.ts';
import { dispatchRoute, unknownDrivers, writeMasters } from './dispatch.ts';
import { HostError, type Host, type HostRow } from '../host.ts';
import { layoutVersion } from '../files/layout.ts';
import { layoutSheet } from './layout-sheet.ts';
import { LoadFileError, parseLoadFile, type LoadFile } from './load-file.ts';
import { masterRowsOf } from './load-rows.ts';
import { faultNames, isFaultName } from '../connection/standin-faults.ts';
import { LibraryMap, namesOn, plainMap } from '../files/library-map.ts';
import { comparisonDdl, libraryDdl } from '../files/standin-schema.ts';
import { viewScript } from '../files/views.ts';
import { hostFile, hostFileNames, isHostFileName, type HostFileName } from '../files/tables.ts';

// `npm run host -- …`: acts as a dispatch program, a clerk, or a fault of the host (contract §11).

/** The output of the command, and its environment. */
export type Surroundings = {
  host: Host;
  now: Date;
  isTerminal: boolean;
  print: (line: string) => void;
  warn: (line: string) => void;
};

/** A command that cannot run as written; the message is for its author. */
export class CommandError extends StartError {
  override readonly name = 'CommandError';
}

export const hostManual: Manual = {
  program: 'npm run host',
  commands: {
    load: { takes: 'FILE.json', does: 'routes, employees and facilities as the back office writes them' },
    show: { takes: 'TABLE [WHERE]', does: 'rows of a file (--json: a JSON line each)' },
    sql: { takes: '"STATEMENT"', does: 'what a clerk or another program does, as your user of the operating system' },
    fault: { takes: `${faultNames.join('|')} on|off [--table TABLE]`, does: 'a bad day of the stand-in' },
    ddl: {
      takes: `[--dialect ${dialects.join('|')}] [--from LAYOUT | --comparison] [--part ${scriptParts.join('|')}]`,
      does: 'the script that makes the files, for the DBA; --from: what a library of an earlier layout lacks (CTLAY of PODCTLP, 1 without it); --comparison: the table of SHADOW_LIBRARY alone; --part: a part of it, for its author',
    },
    views: {
      takes: '--library LIBRARY [--dialect DIALECT]',
      does: 'views with our names in that library, over the tables of LEGACY_MAP',
    },
    layout: { takes: '', does: 'every file and column, as docs/host-files.md shows them' },
  },
  note: 'What writes to a real host wants --yes.',
};

export type Command =
  | { verb: 'load'; file: string; yes: boolean }
  | { verb: 'show'; table: HostFileName; where: string; json: boolean }
  | { verb: 'sql'; statement: string; json: boolean; yes: boolean }
  | { verb: 'fault'; fault: string; on: boolean; table: string };

/** Commands without a host. */
export type PrintCommand =
  | { verb: 'ddl'; dialect: Dialect; from?: number; part?: ScriptPart }
  | { verb: 'ddl'; dialect: Dialect; comparison: true; part?: ScriptPart }
  | { verb: 'views'; dialect: Dialect; library: string }
  | { verb: 'layout' };

/** @throws StartError */
export function parseCommand(argv: readonly string[]): Command {
  const { values, positionals } = readArguments(argv);
  const [verb, first = '', ...rest] = positionals;
  const { json = false, yes = false } = values;
  if (verb === 'load' && first !== '' && rest.length === 0) return { verb, file: first, yes };
  if (verb === 'show' && first !== '') {
    return { verb, table: tableNamed(first), where: rest.join(' ').replace(/^\s*where\b/i, ''), json };
  }
  if (verb === 'sql' && first !== '' && rest.length === 0) return { verb, statement: first, json, yes };
  if (verb === 'fault' && rest.length === 1 && (rest[0] === 'on' || rest[0] === 'off')) {
    if (!isFaultName(first)) throw new CommandError(`no fault is named ${first}: there are ${faultNames.join(', ')}`);
    const table = values.table === undefined ? '' : tableNamed(values.table);
    return { verb, fault: first, on: rest[0] === 'on', table };
  }
  throw new CommandError(misuseOf(hostManual, positionals));
}

/** Undefined for every other command. @throws StartError */
export function parsePrintCommand(argv: readonly string[]): PrintCommand | undefined {
  const { values, positionals } = readArguments(argv);
  const [verb, ...rest] = positionals;
  if (rest.length > 0) return undefined;
  if (verb === 'layout') return { verb };
  if (verb !== 'ddl' && verb !== 'views') return undefined;
  const { dialect = 'db2i', from, library, comparison = false } = values;
  if (!isDialect(dialect)) throw new CommandError(`no dialect is named ${dialect}: there are ${dialects.join(', ')}`);
  if (verb === 'views') {
    if (library === undefined || !/^[A-Z][A-Z0-9_]{0,9}$/.test(library))
      throw new CommandError(`--library: expected the library of the views, got ${library ?? 'none'}`);
    return { verb, dialect, library };
  }
  const part = scriptPart(values.part, dialect);
  if (comparison && from !== undefined) throw new CommandError(misuseOf(hostManual, positionals));
  if (comparison) return { verb, dialect, comparison, ...part };
  if (from === undefined) return { verb, dialect, ...part };
  if (!/^[1-9]\d*$/.test(from) || Number(from) > layoutVersion)
    throw new CommandError(`--from: expected a layout from 1 to ${layoutVersion}, got ${from}`);
  return { verb, dialect, from: Number(from), ...part };
}

function scriptPart(written: string | undefined, dialect: Dialect): { part?: ScriptPart } {
  if (written === undefined) return {};
  const part = scriptParts.find((known) => known === written);
  if (part === undefined)
    throw new CommandError(`--part: no part is named ${written}: there are ${scriptParts.join(', ')}`);
  if (dialect === 'postgres') throw new CommandError('--part: the script of the stand-in has no parts');
  return { part };
}

/** @param shadowLibrary SHADOW_LIBRARY @throws CommandError where the comparison has no library */
export function printed(command: PrintCommand, library: string, map = plainMap, shadowLibrary?: string): string {
  if (command.verb === 'layout') return layoutSheet(map);
  if (command.verb === 'views') return viewScript({ dialect: command.dialect, library, map }, command.library);
  const { dialect, part } = command;
  const options = part === undefined ? {} : { parts: [part] };
  if ('comparison' in command) {
    if (shadowLibrary === undefined)
      throw new CommandError('--comparison: set SHADOW_LIBRARY, the library of this table');
    if (dialect === 'postgres') return `${comparisonDdl(shadowLibrary).join(';\n\n')};\n`;
    return db2Comparison({ dialect, library: shadowLibrary, map: new LibraryMap({}, map.ccsid) }, options);
  }
  const { from } = command;
  // The script of the stand-in adds what is missing by itself.
  if (dialect === 'postgres') return hostScript(dialect, library, map);
  if (from === undefined) return db2Script(dialect, library, map, options);
  return db2Additions({ dialect, library, map }, from, options);
}

/** The statements that create a library’s files, in the form of the host’s own tools. */
export function hostScript(dialect: Dialect, library: string, map = plainMap): string {
  return dialect === 'postgres' ? `${libraryDdl(library, map).join(';\n\n')};\n` : db2Script(dialect, library, map);
}

/** @throws CommandError or HostError, whose messages name the mistake */
export async function runCommand(command: Command, around: Surroundings): Promise<void> {
  switch (command.verb) {
    case 'load':
      return load(command, around);
    case 'show':
      return show(command, around);
    case 'sql':
      return runSql(command, around);
    case 'fault':
      return setFault(command, around);
  }
}

const readArguments = (argv: readonly string[]) =>
  readWords(argv, {
    json: { type: 'boolean' },
    table: { type: 'string' },
    dialect: { type: 'string' },
    from: { type: 'string' },
    part: { type: 'string' },
    comparison: { type: 'boolean' },
    library: { type: 'string' },
    yes: { type: 'boolean' },
  });

function tableNamed(written: string): HostFileName {
  const name = written.toUpperCase().replace(/^\w+\./, '');
  if (isHostFileName(name)) return name;
  throw new CommandError(`the host has no table ${written}: there are ${hostFileNames.join(' ')}`);
}

/** This command changes people's rows. @throws CommandError */
function requireYes(host: Host, yes: boolean): void {
  if (host.dialect !== 'postgres' && !yes)
    throw new CommandError('LEGACY_URL names a real host and this would write to it: say --yes if you mean it');
}

type Load = Extract<Command, { verb: 'load' }>;

async function load({ file, yes }: Load, { host, now, print, warn }: Surroundings): Promise<void> {
  requireYes(host, yes);
  const { facilities, employees, routes } = await readLoadFile(file);
  if (facilities.length + employees.length > 0) {
    await writeMasters(host, { user: 'MASTERS', now }, { ...masterRowsOf({ facilities, employees }), codes: [] });
    print(
      `${counted(facilities, 'facility', 'facilities')} and ${counted(employees, 'employee', 'employees')} written`,
    );
  }
  for (const route of routes) {
    await dispatchRoute(host, route, { user: 'DISPATCH', now });
    print(
      escapeHidden(
        `route ${route.id} of ${route.facility}, week ending ${route.week_end}: ${route.stops.length} stops dispatched`,
      ),
    );
  }
  for (const driver of await unknownDrivers(host, routes)) {
    warn(`driver ${escapeHidden(driver)} is not in the employee master (EMPMSTP) and cannot sign up`);
  }
}

const counted = ({ length }: readonly unknown[], one: string, many: string) => `${length} ${length === 1 ? one : many}`;

async function readLoadFile(file: string): Promise<LoadFile> {
  const content = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  });
  try {
    return parseLoadFile(JSON.parse(content));
  } catch (cause) {
    if (cause instanceof LoadFileError)
      throw new CommandError(`${file} cannot be loaded:\n${cause.message}`, { cause });
    if (cause instanceof SyntaxError) throw new CommandError(`${file} is no JSON: ${cause.message}`, { cause });
    throw cause;
  }
}

type Show = Extract<Command, { verb: 'show' }>;

async function show({ table, where, json }: Show, around: Surroundings): Promise<void> {
  const { host } = around;
  const file = hostFile(table);
  const { table: named, column } = namesOn(host);
  const order = Object.keys(file.key).map(column).join(', ');
  const condition = where.trim() === '' ? '' : ` where ${where}`;
  const select = `select * from ${named(table)}${condition}${order === '' ? '' : ` order by ${order}`}`;
  printRows(await host.query(readCommitted(host.dialect, select)), json, around);
}

type Sql = Extract<Command, { verb: 'sql' }>;

/** Db2 and PostgreSQL both let a query write: `select … from final table (update …)`, `with x as (delete …)`. */
const writes = /\b(?:insert|update|delete|merge|truncate|call)\b/i;

async function runSql({ statement, json, yes }: Sql, around: Surroundings): Promise<void> {
  if (/^\s*(select|with|values|table)\b/i.test(statement)) {
    // A query that only mentions such a word needs one confirmation too many.
    if (writes.test(statement)) requireYes(around.host, yes);
    printRows(await around.host.query(statement), json, around);
    return;
  }
  requireYes(around.host, yes);
  const count = await around.host.transaction((tx) => tx.execute(statement));
  around.print(`${count} ${count === 1 ? 'row' : 'rows'} affected`);
}

async function setFault(command: Extract<Command, { verb: 'fault' }>, { host, print }: Surroundings): Promise<void> {
  const { fault, on, table } = command;
  if (host.dialect !== 'postgres')
    throw new CommandError('faults belong to the stand-in; LEGACY_URL names a real host');
  await host.transaction(async (tx) => {
    // `off` without a table ends the fault everywhere.
    const scope = !on && table === '' ? '' : ' and file = ?';
    await tx.execute(
      `delete from ${host.library}.standin_fault where fault = ?${scope}`,
      scope ? [fault, table] : [fault],
    );
    if (on) await tx.execute(`insert into ${host.library}.standin_fault (fault, file) values (?, ?)`, [fault, table]);
  });
  print(`${fault} is ${on ? 'on' : 'off'}${table === '' ? '' : ` for ${table}`}`);
}

/**
 * JSON lines for programs, a table for people. Numbers stay numbers: JSON readers represent all of our values exactly.
 * Output for a terminal escapes control characters, which a terminal obeys; a program gets the host's values.
 */
function printRows(rows: readonly HostRow[], json: boolean, { print, isTerminal }: Surroundings): void {
  if (json || !isTerminal) {
    for (const row of rows) {
      const line = JSON.stringify(withNumbers(row));
      print(isTerminal ? escapeHidden(line) : line);
    }
    return;
  }
  const columns = Object.keys(rows[0] ?? {});
  const heads = columns.map(escapeHidden);
  const cells = rows.map((row) => columns.map((column) => escapeHidden(printable(row[column] ?? null) ?? '')));
  const widths = heads.map((head, index) => Math.max(head.length, ...cells.map((line) => line[index]?.length ?? 0)));
  const lineOf = (values: readonly string[]) =>
    values
      .map((value, index) => value.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd();
  if (rows.length > 0) print(lineOf(heads));
  for (const line of cells) print(lineOf(line));
  print(`${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`);
}

function withNumbers(row: HostRow): { [column: string]: unknown } {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      numbers.has(name) && value !== null ? Number(value) : printable(value),
    ]),
  );
}

/** A file's two letters make its columns' names unique on the host, so that a name alone determines the kind. */
const numbers = new Set(
  hostFileNames.flatMap((name) =>
    Object.entries(allColumnsOf(hostFile(name)))
      .filter(([, { kind }]) => ['decimal', 'identity', 'changeNumber'].includes(kind))
      .map(([column]) => column),
  ),
);

function printable(value: HostValue): string | null {
  return Buffer.isBuffer(value) ? value.toString('hex') : value;
}

/** One clear line for the author of the command, on a terminal. */
export function explain(error: unknown): string {
  if (error instanceof CommandError) return escapeHiddenInLines(error.message);
  if (error instanceof HostError) {
    const verb = error.sqlstate.startsWith('08') ? 'does not answer' : 'refused';
    return escapeHiddenInLines(`the host ${verb} (SQLSTATE ${error.sqlstate}): ${error.message}`);
  }
  throw error;
}
