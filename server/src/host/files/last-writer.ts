import { writerColumns } from './columns.ts';
import type { HostRow } from '../host.ts';
import { serviceProgram, stampUser } from './standin-schema.ts';
import { hostFile, type HostFileName } from './tables.ts';

/** The user who last changed a row, from its audit columns; blank if the service changed it. */
export function lastWriter(name: HostFileName, row: HostRow): string {
  const [user = '', program] = writerColumns(hostFile(name)).map((column) => String(row[column] ?? ''));
  return user === stampUser && program === serviceProgram ? '' : user;
}
