import type { Queryable } from './types.ts';

/** Whether a schema is there already: `create schema if not exists` asks for the right to make it all the same. */
export async function hasSchema(db: Queryable, name: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>('select to_regnamespace($1) is not null as found', [name]);
  return rows[0]?.found ?? false;
}
