import type { Db, Queryable } from '../../db/types.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { entryAfter, pageOf, type Page } from '../pages.ts';
import { drillFindings, drillOperations, type DrillItem, type DrillsQuery } from './contract.ts';
import * as sql from './drills-sql.ts';

type DrillRow = {
  readonly drill_id: string;
  readonly at: Date;
  readonly backup: string;
  readonly backup_at: Date | null;
  readonly ok: boolean;
  readonly seconds: number;
  readonly findings: string;
  readonly position: string;
};

async function listDrills(db: Queryable, { limit, cursor }: DrillsQuery): Promise<Page<DrillItem>> {
  const { rows } = await db.query<DrillRow>(sql.listDrills, [...(entryAfter(cursor) ?? [null, null]), limit + 1]);
  return pageOf(rows, limit, {
    item: ({ position: _, findings, at, backup_at, ...row }) => ({
      ...row,
      at: at.toISOString(),
      backup_at: backup_at?.toISOString() ?? null,
      findings: drillFindings.parse(JSON.parse(findings)),
    }),
    position: ({ position, drill_id }) => [position, drill_id],
  });
}

/** Operators: restores of backups on trial. */
export function drillEndpoints(db: Db) {
  return { listDrills: endpoint(drillOperations.listDrills, ({ query }) => listDrills(db, query)) };
}
