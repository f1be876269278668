import { columnsOf, type HostFile } from '../files/columns.ts';
import { rightsOf } from '../files/rights.ts';
import { hostFile, hostFileNames, type HostFileName } from '../files/tables.ts';
import type { Act, AuthorityFact } from './facts.ts';

/** A statement that touches no row, and shows whether the user has the authority for it. */
export interface AuthorityProbe extends Omit<AuthorityFact, 'allowed'> {
  readonly sql: string;
}

/**
 * Everything that the service does with each file, and the acts that it has no business with. A statement counts every
 * way to an authority: grants, groups, ownership, authorities to all objects.
 */
export function authorityProbes(library: string): AuthorityProbe[] {
  return hostFileNames.flatMap((name) => probesOf(library, hostFile(name), name));
}

function probesOf(library: string, file: HostFile, name: HostFileName): AuthorityProbe[] {
  const rights = rightsOf(file);
  const table = `${library}.${file.name}`;
  const probe = (act: Act, needed: boolean, sql: string): AuthorityProbe => ({ file: name, act, needed, sql });
  const all = columnsOf(file);
  const settable = Object.keys(all).filter((column) => all[column]?.kind !== 'identity');
  const theirs = settable.filter((column) => !rights.update.includes(column));
  const list = settable.join(', ');
  const none = 'where 1 = 0';
  return [
    probe('read', true, `select 1 as FOUND from ${table} ${none}`),
    probe('insert', rights.insert, `insert into ${table} (${list}) select ${list} from ${table} ${none}`),
    probe('delete', rights.delete, `delete from ${table} ${none}`),
    ...(rights.update.length > 0 ? [probe('update', true, update(table, rights.update))] : []),
    // A grant on single columns of the office's is found where it covers all of them.
    ...(theirs.length > 0 ? [probe('update', false, update(table, theirs))] : []),
  ];
}

const update = (table: string, columns: readonly string[]): string =>
  `update ${table} set ${columns.map((column) => `${column} = ${column}`).join(', ')} where 1 = 0`;
