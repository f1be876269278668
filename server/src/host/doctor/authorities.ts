import { columnsOf } from '../files/columns.ts';
import { namesOn, type Place } from '../files/library-map.ts';
import { rightsOf } from '../files/rights.ts';
import { hostFileNames, type HostFileName } from '../files/tables.ts';
import type { Act, AuthorityFact } from './facts.ts';

/** A statement that touches no row, and shows whether the user has the authority for it. */
export interface AuthorityProbe extends Omit<AuthorityFact, 'allowed' | 'why'> {
  readonly sql: string;
}

/**
 * Everything that the service does with each file, and the acts that it has no business with. A statement counts every
 * way to an authority: grants, groups, ownership, authorities to all objects.
 */
export function authorityProbes(place: Place): AuthorityProbe[] {
  return hostFileNames.flatMap((name) => probesOf(place, name));
}

export function probesOf(place: Place, name: HostFileName): AuthorityProbe[] {
  const { map, table: named, column } = namesOn(place);
  const file = map.file(name);
  const rights = rightsOf(file);
  const table = named(name);
  const probe = (act: Act, needed: boolean, sql: string): AuthorityProbe => ({ file: name, act, needed, sql });
  const all = columnsOf(file);
  const settable = map.stored(Object.keys(all)).filter((known) => all[known]?.kind !== 'identity');
  const ours = map.stored(rights.update).map(column);
  const theirs = settable.filter((known) => !rights.update.includes(known)).map(column);
  const list = settable.map(column).join(', ');
  const none = 'where 1 = 0';
  return [
    probe('read', true, `select 1 as FOUND from ${table} ${none}`),
    probe('insert', rights.insert, `insert into ${table} (${list}) select ${list} from ${table} ${none}`),
    probe('delete', rights.delete, `delete from ${table} ${none}`),
    ...(ours.length > 0 ? [probe('update', true, update(table, ours))] : []),
    // A grant on single columns of the office's is found where it covers all of them.
    ...(theirs.length > 0 ? [probe('update', false, update(table, theirs))] : []),
  ];
}

const update = (table: string, columns: readonly string[]): string =>
  `update ${table} set ${columns.map((column) => `${column} = ${column}`).join(', ')} where 1 = 0`;
