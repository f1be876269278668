import type { Queryable } from './types.ts';

/** Whether the tables of this server are a shard of a distributed PostgreSQL (Citus), which plans each statement with its values. */
export async function isDistributed(db: Queryable): Promise<boolean> {
  const { rows: catalogs } = await db.query<{ found: boolean }>(
    `select to_regclass('pg_dist_schema') is not null as found`,
  );
  if (!catalogs[0]?.found) return false;
  const { rows } = await db.query(
    'select schemaid from pg_dist_schema where schemaid = current_schema()::regnamespace',
  );
  return rows.length > 0;
}
