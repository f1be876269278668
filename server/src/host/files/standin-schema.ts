import { createHash } from 'node:crypto';
import { allColumnsOf, type Column } from './columns.ts';
import { typeName } from './dialect.ts';
import {
  changeSequence,
  numberedEvents,
  numberOf,
  numberTriggerName,
  triggerName,
  type DoorbellEvent,
} from './triggers.ts';
import { additionsSince, layoutVersion } from './layout.ts';
import { literal, namesOn, plainMap, storedPaths, type LibraryMap, type Place } from './library-map.ts';
import { hostFileNames, type HostFileName } from './tables.ts';

// The library as a PostgreSQL schema, in place of the back office's own DDL on Db2. The stand-in refuses the same
// values as Db2 and has the same doorbell, so that a program that runs against it also runs against the host.

/** The connection name of the service itself: its own writes do not reach the doorbell. */
export const serviceProgram = 'TAILGATE';
/** The user in the audit tail of the service's writes. */
export const stampUser = 'TAILGATE';

/** A session's setting: its user, where that differs from the connection's. The doorbell records it. */
export const userSetting = 'tailgate.host_user';

/** Marks the definition that a library was made from; with an equal mark there is nothing to do. */
export function libraryMark(map: LibraryMap = plainMap): string {
  const text = libraryDdl('LIBRARY', map).join('\n');
  return `tailgate stand-in ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

/** Statements that create everything that is missing, in order; safe to run again. */
export function libraryDdl(library: string, map: LibraryMap = plainMap): string[] {
  const place: StandIn = { dialect: 'postgres', library, map };
  const { table, column, literal: coded } = namesOn(place);
  const [hold, layout] = [column('CTHOLD'), column('CTLAY')];
  return [
    `create schema if not exists ${library}`,
    // Faults of the stand-in (`npm run host -- fault …`); no host has such a table.
    `create table if not exists ${library}.standin_fault (fault text, file text not null default '', primary key (fault, file))`,
    refuseOutsideCodePage(library),
    `create sequence if not exists ${library}.${changeSequence}`,
    ...hostFileNames.map((name) => tableDdl(place, name)),
    ...additionDdl(place, 1),
    ...hostFileNames.flatMap((name) => partsDdl(place, name)),
    `insert into ${table('PODCTLP')} (${hold}) select ${coded('CTHOLD', 'N')} where not exists (select from ${table('PODCTLP')})`,
    `update ${table('PODCTLP')} set ${layout} = ${layoutVersion} where ${layout} < ${layoutVersion}`,
  ];
}

/** The same for the comparison of routes in shadow, in a library of its own. */
export function comparisonDdl(library: string): string[] {
  const place: StandIn = { dialect: 'postgres', library, map: plainMap };
  return [
    `create schema if not exists ${library}`,
    refuseOutsideCodePage(library),
    tableDdl(place, 'PODSHDP'),
    ...partsDdl(place, 'PODSHDP'),
  ];
}

type StandIn = Place & { readonly map: LibraryMap };

/** Columns that a library of an earlier layout lacks. */
function additionDdl(place: StandIn, from: number): string[] {
  const { table, column } = namesOn(place);
  return additionsSince(from).flatMap(({ file, columns = [] }) =>
    place.map.stored(columns).map((name) => {
      const isText = place.map.definition(name).kind === 'char';
      const check = isText ? ` check (${place.library}.ccsid37(${column(name)}))` : '';
      return `alter table ${table(file)} add column if not exists ${column(name)} ${columnDdl(place.map, name)}${check}`;
    }),
  );
}

function tableDdl(place: StandIn, name: HostFileName): string {
  const { library, map } = place;
  const { table, column, quoted } = namesOn(place);
  const file = map.file(name);
  const stored = map.stored(Object.keys(allColumnsOf(file)));
  const key = Object.keys(file.key).map(column);
  const texts = stored.filter((known) => map.definition(known).kind === 'char').map(column);
  const parts = [
    ...stored.map((known) => `${column(known)} ${columnDdl(map, known)}`),
    ...map
      .constants(name)
      .map(([own, value]) => `${quoted(own)} ${typeof value === 'number' ? 'numeric' : 'text'} not null`),
    ...(key.length > 0 ? [`primary key (${key.join(', ')})`] : []),
    `check (${library}.ccsid37(${texts.join(' || ')}))`,
  ];
  // Free space on the page for the service's updates of existing rows.
  return `create table if not exists ${table(name)} (${parts.join(', ')}) with (fillfactor = 80)`;
}

/** Access paths and triggers; a file of an earlier layout has its new columns by then. */
function partsDdl(place: StandIn, name: HostFileName): string[] {
  const { map } = place;
  const { table, column } = namesOn(place);
  const file = map.file(name);
  const number = numberOf(file, map);
  return [
    ...storedPaths(map, name).map(
      (path) =>
        `create index if not exists ${file.name}_${path.at(-1)} on ${table(name)} (${path.map(column).join(', ')})`,
    ),
    ...(file.doorbell === 'rings' ? doorbellDdl(place, name) : []),
    ...(number === undefined ? [] : numberDdl(place, name, number)),
  ];
}

/** What Db2 assigns by itself (the time) and by a trigger (the number). */
function numberDdl(place: StandIn, file: HostFileName, number: string): string[] {
  const { library, map } = place;
  const { table, of } = namesOn(place);
  const { assigned } = map.file(file);
  const times = map.stored(Object.keys(assigned)).filter((known) => assigned[known]?.kind === 'changedAt');
  const name = `${library}.${file}_number`;
  const assignments = [
    ...times.map((time) => `${of('new', time)} := clock_timestamp();`),
    `${of('new', number)} := nextval('${library}.${changeSequence}');`,
  ];
  return [
    `create or replace function ${name}() returns trigger language plpgsql security definer as $$
begin
  ${assignments.join('\n  ')}
  return new;
end $$`,
    ...numberedEvents.map(
      (event) => `create or replace trigger ${numberTriggerName('postgres', file, event)}
before ${event} on ${table(file)} for each row execute function ${name}()`,
    ),
  ];
}

function columnDdl(map: LibraryMap, name: string): string {
  const column = map.definition(name);
  const type = typeName('postgres', column);
  switch (column.kind) {
    case 'char':
      return `${type} not null default ${literal(map.toOwn(name, '') || ' ')}`;
    case 'decimal':
    case 'changeNumber':
      return `${type} not null default 0`;
    case 'timestamp':
    case 'changedAt':
      return `${type} not null default current_timestamp`;
    case 'binary':
      return `${type} not null default ''`;
    case 'identity':
      break;
  }
  return `${type} generated always as identity`;
}

/**
 * Code page 37 has exactly the 256 characters U+0000–U+00FF (IBM's table of CCSID 37 is a permutation of Latin-1), so
 * membership is a range. Like Db2, the check fails with SQLSTATE 22021 where a value cannot be converted.
 */
function refuseOutsideCodePage(library: string): string {
  return `create or replace function ${library}.ccsid37(value text) returns boolean language plpgsql immutable as $$
begin
  if octet_length(value) = length(value) or value ~ '^[\\x01-\\xff]*$' then return true; end if;
  raise exception using errcode = '22021', message = 'A character could not be converted to CCSID 37.';
end $$`;
}

/**
 * Key-only triggers, one a statement: a dispatch program's insert of 3,000 rows costs one more statement, not 3,000.
 * They swallow all errors: a trigger must never fail the host's own program (the drift check finds missed changes).
 */
function doorbellDdl(place: StandIn, file: HostFileName): string[] {
  const { table, column } = namesOn(place);
  const { cellDoorbell } = place.map;
  const name = `${place.library}.${file}_${cellDoorbell ?? 'doorbell'}`;
  const key = keyText(place, file);
  const line = ['CHFIL', 'CHOP', 'CHKEY', 'CHUSR', 'CHPGM'].map((known) => column(known)).join(', ');
  const ring = (source: string) => `insert into ${table('PODCHGP')} (${line})
  select '${file}', left(tg_op, 1), ${key}, left(coalesce(nullif(current_setting('${userSetting}', true), ''), session_user), 18), left(current_setting('application_name'), 18) from ${source}`;
  const trigger = (
    event: DoorbellEvent,
    tables: string,
  ) => `create or replace trigger ${triggerName('postgres', file, event, cellDoorbell)}
after ${event} on ${table(file)} referencing ${tables} for each statement
when (current_setting('application_name') <> '${serviceProgram}') execute function ${name}()`;
  return [
    `create or replace function ${name}() returns trigger language plpgsql security definer as $$
begin
  case tg_op
  when 'INSERT' then ${ring('new_rows')};
  when 'DELETE' then ${ring('old_rows')};
  -- An update may move a row to another key: both are rung.
  else ${ring(`(select * from old_rows union select * from new_rows) as both_rows group by ${key}`)};
  end case;
  return null;
exception when others then return null;
end $$`,
    trigger('insert', 'new table as new_rows'),
    trigger('delete', 'old table as old_rows'),
    trigger('update', 'old table as old_rows new table as new_rows'),
  ];
}

/** CHKEY: each key column at its full width, text padded with blanks, numbers with zeros. */
function keyText(place: StandIn, file: HostFileName): string {
  const { column } = namesOn(place);
  return Object.entries(place.map.file(file).key)
    .map(([name, definition]) =>
      definition.kind === 'decimal'
        ? `lpad(${column(name)}::text, ${definition.precision}, '0')`
        : `rpad(${column(name)}, ${widthOf(definition)})`,
    )
    .join(' || ');
}

function widthOf(column: Column): number {
  return column.kind === 'char' ? column.length : 0;
}
