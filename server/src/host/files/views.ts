import { allColumnsOf } from './columns.ts';
import { typeName } from './dialect.ts';
import { literal, namesOn, type LibraryMap, type Place } from './library-map.ts';
import { rightsOf } from './rights.ts';
import { hostFile, hostFileNames, type HostFileName } from './tables.ts';

// The other way to names of a library's own: views with our names over its tables. A program that works on the views
// needs no map.

/** Statements that create a view for each file. @param place the library of the tables, with its map @param library that of the views */
function viewDdl(place: Place & { readonly map: LibraryMap }, library: string): string[] {
  return hostFileNames.flatMap((name) => [
    view(place, library, name),
    // Db2 updates the columns of such a view that are plain ones; the stand-in updates all of them by triggers.
    ...(place.dialect === 'postgres' && !isPlainView(place.map, name) ? writers(place, library, name) : []),
  ]);
}

/** The same as a script, which names the columns that the service writes and the views cannot. */
export function viewScript(place: Place & { readonly map: LibraryMap }, library: string): string {
  const end = place.dialect === 'db2' ? '@' : ';';
  const readOnly = hostFileNames.flatMap((name) =>
    readOnlyColumns(place.map, name).filter((column) => rightsOf(hostFile(name)).update.includes(column)),
  );
  const warning =
    place.dialect === 'postgres' || readOnly.length === 0
      ? []
      : [`-- The service writes these columns, and Db2 cannot update them in a view: ${readOnly.join(' ')}.`];
  const statements = viewDdl(place, library).map((statement) => `${statement}${end}`);
  return `${[...warning, ...statements].join('\n\n')}\n`;
}

/** Columns of the view that Db2 cannot update: codes, or columns that the library lacks. */
function readOnlyColumns(map: LibraryMap, name: HostFileName): string[] {
  return allColumns(map, name).filter((column) => map.ownName(column) === undefined || codesOf(map, column).length > 0);
}

function view(place: Place & { readonly map: LibraryMap }, library: string, name: HostFileName): string {
  const { map } = place;
  const { table, column } = namesOn(place);
  const columns = allColumns(map, name);
  const items = columns.map((known) => {
    const codes = codesOf(map, known);
    if (codes.length === 0) return column(known);
    const cases = codes.map(([ours, theirs]) => `when ${literal(theirs)} then ${literal(ours)}`);
    return `cast(case ${column(known)} ${cases.join(' ')} else ${column(known)} end as ${typeName(place.dialect, map.definition(known))})`;
  });
  return `create view ${library}.${name} (${columns.join(', ')}) as select ${items.join(', ')} from ${table(name)}`;
}

/** Triggers in place of a write on the view, each with the write on the table. */
function writers(place: Place & { readonly map: LibraryMap }, library: string, name: HostFileName): string[] {
  const { map } = place;
  const { table, column, quoted } = namesOn(place);
  const file = map.file(name);
  const key = Object.keys(file.key);
  const isAssigned = (known: string) => map.definition(known).kind === 'identity' || known in file.assigned;
  const given = map.stored(allColumns(map, name)).filter((known) => !isAssigned(known));
  const own = (row: string, known: string) => {
    const codes = codesOf(map, known);
    const cases = codes.map(([ours, theirs]) => `when ${literal(ours)} then ${literal(theirs)}`);
    return codes.length === 0 ? `${row}.${known}` : `case ${row}.${known} ${cases.join(' ')} else ${row}.${known} end`;
  };
  const inserted = [...given.map(column), ...map.constants(name).map(([known]) => quoted(known))];
  const values = [
    ...given.map((known) => `coalesce(${own('new', known)}, ${initial(map, known)})`),
    ...map.constants(name).map(([, value]) => literal(value)),
  ];
  const where =
    key.length === 0 ? '' : ` where ${key.map((known) => `${column(known)} = ${own('old', known)}`).join(' and ')}`;
  const body = [
    `if tg_op = 'INSERT' then insert into ${table(name)} (${inserted.join(', ')}) values (${values.join(', ')}); return new; end if;`,
    `if tg_op = 'UPDATE' then update ${table(name)} set ${given.map((known) => `${column(known)} = ${own('new', known)}`).join(', ')}${where};`,
    `  if found then return new; else return null; end if; end if;`,
    `delete from ${table(name)}${where};`,
    `if found then return old; else return null; end if;`,
  ];
  return [
    `create function ${library}.${name}_write() returns trigger language plpgsql as $$ begin\n${body.join('\n')}\nend $$`,
    `create trigger ${name}_write instead of insert or update or delete on ${library}.${name} for each row execute function ${library}.${name}_write()`,
  ];
}

function initial(map: LibraryMap, name: string): string {
  const { kind } = map.definition(name);
  if (kind === 'char') return literal(map.toOwn(name, '') || ' ');
  if (kind === 'timestamp') return 'current_timestamp';
  return kind === 'binary' ? "''::bytea" : '0';
}

const isPlainView = (map: LibraryMap, name: HostFileName): boolean =>
  readOnlyColumns(map, name).length === 0 && map.constants(name).length === 0;

function allColumns(map: LibraryMap, name: HostFileName): string[] {
  return Object.keys(allColumnsOf(map.file(name)));
}

/** Our value and the library's, where these differ in the column. */
function codesOf(map: LibraryMap, column: string): (readonly [ours: string, theirs: string])[] {
  const definition = map.definition(column);
  const values = definition.kind === 'char' && map.ownName(column) !== undefined ? (definition.values ?? []) : [];
  return values.map((ours) => [ours, map.toOwn(column, ours)] as const).filter(([ours, theirs]) => ours !== theirs);
}
