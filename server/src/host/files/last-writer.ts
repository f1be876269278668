import { writerColumns } from './columns.ts';
import type { HostRow } from '../host.ts';
import { serviceProgram, stampUser } from './standin-schema.ts';
import { hostFile, type HostFileName } from './tables.ts';

/** The user who changed a row last, from its audit tail; blank where that is the service itself. */
export function lastWriter(name: HostFileName, row: HostRow): string {
  const [user = '', program] = writerColumns(hostFile(name)).map((column) => String(row[column] ?? ''));
  return user === stampUser && program === serviceProgram ? '' : user;
}
