import type { Db, Queryable } from '../../db/types.ts';
import { entryAfter, pageOf, type Page } from '../pages.ts';
import * as sql from './flags-sql.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import type { FlagQuery, FlaggedChange } from './contract.ts';
import { flagOperations } from './contract.ts';

interface FlagRow extends Omit<FlaggedChange, 'warnings' | 'edit_time' | 'received_at'> {
  readonly edit_time: Date;
  readonly received_at: Date;
  readonly warnings: string;
  readonly position: string;
}

/** Lists saved changes with a warning, newest first. */
async function listFlags(
  db: Queryable,
  { facility, route_id, code, limit, cursor }: FlagQuery,
): Promise<Page<FlaggedChange>> {
  const after = entryAfter(cursor);
  const wanted = code === undefined ? null : `"code":${JSON.stringify(code)}`;
  const values = [facility ?? null, route_id ?? null, wanted, after?.[0] ?? null, after?.[1] ?? null, limit + 1];
  const { rows } = await db.query<FlagRow & Record<string, unknown>>(sql.listFlags, values);
  return pageOf(rows, limit, { item: changeOf, position: ({ position, id }) => [position, id] });
}

const changeOf = (row: FlagRow): FlaggedChange => ({
  id: row.id,
  facility: row.facility,
  route_id: row.route_id,
  week_end: row.week_end,
  stop_id: row.stop_id,
  version: row.version,
  source: row.source,
  employee: row.employee,
  edit_time: row.edit_time.toISOString(),
  received_at: row.received_at.toISOString(),
  warnings: readWarnings(row.warnings),
});

const readWarnings: (json: string) => FlaggedChange['warnings'] = JSON.parse;

/** Operators (contract §8): changes that a person should read. */
export function flagEndpoints(db: Db) {
  return {
    listFlags: endpoint(flagOperations.listFlags, ({ query }) => listFlags(db, query)),
  };
}
