import type { RouteKey } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import { textArray } from '../db/arrays.ts';
import type { Queryable, Tx } from '../db/types.ts';
import { evidenceColumns, expectEvidence, findWaitingRoutes, notifyRoutes, type NamingStop } from './evidence-sql.ts';

/** The files that a stop names: its signature and all of its photos. */
export interface Evidence extends NamingStop {
  readonly assets: readonly string[];
}

/**
 * Records the files that stops name, in the transaction of the change that names them.
 *
 * @returns the stops that still miss a file
 */
export async function awaitEvidence(tx: Tx, stops: readonly Evidence[]): Promise<NamingStop[]> {
  const named = stops.flatMap(({ assets, ...place }) => assets.map((asset) => ({ ...place, asset })));
  const { rows } = await tx.query<RouteKey & { stop: number }>(expectEvidence, evidenceColumns(stops, named));
  return rows.map(({ stop, ...key }) => ({ key, stop }));
}

/**
 * Notifies the followers of a route that a file of one of its stops has arrived. It runs on its own, after the commit
 * that created the asset. A change that is invisible to it commits later, and finds the asset.
 */
export async function notifyUploaded(db: Queryable, asset: string): Promise<void> {
  const { rows } = await db.query<RouteKey>(findWaitingRoutes, [asset]);
  if (rows.length > 0) await db.query(notifyRoutes, [textArray(rows.map(routeScope))]);
}
