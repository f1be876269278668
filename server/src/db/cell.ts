import { onlyCell } from '../runtime/cell-name.ts';
import { StartError } from '../runtime/start-error.ts';
import { connectDirectly } from './direct-connection.ts';
import type { Queryable } from './types.ts';

/** SQL of what a cell adds to the names of channels and locks, which all cells of a database share; blank in `public`. */
export const cellSuffix = `case current_schema() when 'public' then '' else '_' || current_schema() end`;

/** SQL of the same as a number. */
export const cellNumber = `case current_schema() when 'public' then 0 else hashtext(current_schema()) end`;

/** The schema of a cell's jobs. */
export const jobsSchema = (cell: string): string => (cell === onlyCell ? 'pgboss' : `pgboss_${cell}`);

/**
 * Checks that the role of a connection leads to the tables of this cell.
 * @throws StartError where its search_path begins with another schema
 */
export async function checkCell(db: Queryable, cell: string): Promise<void> {
  const { rows } = await db.query<{ schema: string | null; role: string }>(
    'select current_schema() as schema, current_user as role',
  );
  const { schema = null, role = '' } = rows[0] ?? {};
  if (schema === cell) return;
  const found = schema === null ? 'no schema' : `schema ${schema}`;
  throw new StartError(
    `CELL: this server belongs to cell ${cell}, and role ${role} works in ${found}: ` +
      `set CELL, or run "alter role ${role} set search_path = ${cell}" and connect again (docs/scaling.md)`,
  );
}

/** The same over a connection of its own, before anything is created. @throws StartError */
export async function checkCellAt(url: string, cell: string): Promise<void> {
  const client = await connectDirectly(url, 'tailgate cell');
  try {
    await checkCell(client, cell);
  } finally {
    await client.end();
  }
}
