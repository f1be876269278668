import type { Queryable } from '../db/types.ts';
import { listAccounts } from './sql.ts';

/** Ids of all registered employees, ascending. */
export async function listEmployees(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<{ employee: string }>(listAccounts);
  return rows.map((row) => row.employee);
}
