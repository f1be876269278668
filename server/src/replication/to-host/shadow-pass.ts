import { routeScope } from '@tailgate/sync-protocol';
import { expectFiles } from '../../assets/queries.ts';
import type { Queryable } from '../../db/types.ts';
import { evidenceOf } from '../../stops/named-assets.ts';
import { readResult } from '../../stops/stored-documents.ts';
import type { Lease, Leases } from './lease.ts';
import { notifyHosted } from './route-sql.ts';
import { shadowFiles } from './rows/sql.ts';
import * as sql from './shadow-pass-sql.ts';

export interface ShadowDeps {
  readonly db: Queryable;
  readonly leases: Leases;
  readonly clock: () => Date;
}

/**
 * Finishes the changes of a route in shadow without a statement to the host: its receipts end here. Files that its stops
 * name are awaited as ever, so that the office sees which are missing. @returns false where another worker has the lease
 */
export async function finishShadowRoute(
  { db, leases, clock }: ShadowDeps,
  lease: Lease,
  { version, done_through: from }: { readonly version: number; readonly done_through: number },
): Promise<boolean> {
  const { facility, id, week_end } = lease.key;
  const { rows } = await db.query<{ doc: string }>(sql.loadShadowStops, [facility, id, week_end, from]);
  const named = [...new Set(rows.flatMap(({ doc }) => [...evidenceOf(readResult(doc))]))];
  await expectFiles(db, named, clock());
  if (named.length > 0) await db.query(shadowFiles, [named]);
  const values = [facility, id, week_end, leases.owner, lease.fence, version];
  const { rowCount } = await db.query(sql.finishShadow, values);
  if (rowCount === 1) await db.query(notifyHosted, [routeScope(lease.key)]);
  leases.discard(lease);
  return rowCount === 1;
}
