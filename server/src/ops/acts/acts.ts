import type { Db, Queryable } from '../../db/types.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { entryAfter, pageOf, type Page } from '../pages.ts';
import * as sql from './acts-sql.ts';
import { actOperations, type ActItem, type ActQuery } from './contract.ts';

type ActRow = Omit<ActItem, 'at'> & { readonly at: Date; readonly position: string };

/** Lists acts, newest first. */
async function listActs(db: Queryable, query: ActQuery): Promise<Page<ActItem>> {
  const { by, subject_kind, subject, facility, route_id, week_end, stop_id, employee, from, until, limit, cursor } =
    query;
  const after = entryAfter(cursor);
  const filters = [by, subject_kind, subject, facility, route_id, week_end, stop_id, employee, from, until];
  const values = [...filters.map((value) => value ?? null), after?.[0] ?? null, after?.[1] ?? null, limit + 1];
  const { rows } = await db.query<ActRow>(sql.listActs, values);
  return pageOf(rows, limit, {
    item: ({ at, position: _position, ...row }) => ({ ...row, at: at.toISOString() }),
    position: ({ position, act_id }) => [position, act_id],
  });
}

/** Operators: acts of the office. */
export function actEndpoints(db: Db) {
  return {
    listActs: endpoint(actOperations.listActs, ({ query }) => listActs(db, query)),
  };
}
