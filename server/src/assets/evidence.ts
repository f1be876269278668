import type { RouteKey } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import { textArray } from '../db/arrays.ts';
import type { Queryable, Tx } from '../db/types.ts';
import { evidenceColumns, expectEvidence, findWaitingRoutes, tellRoutes, type NamingStop } from './evidence-sql.ts';

/** The files that a stop names: its signature and all of its photos. */
export interface Evidence extends NamingStop {
  readonly assets: readonly string[];
}

/**
 * Notes what stops name now, in the transaction of the change that names it, whatever they named before.
 *
 * @returns those of which some file is not here
 */
export async function awaitEvidence(tx: Tx, stops: readonly Evidence[]): Promise<NamingStop[]> {
  const named = stops.flatMap(({ assets, ...place }) => assets.map((asset) => ({ ...place, asset })));
  const { rows } = await tx.query<RouteKey & { stop: number }>(expectEvidence, evidenceColumns(stops, named));
  return rows.map(({ stop, ...key }) => ({ key, stop }));
}

/**
 * Tells whoever follows a route that a file has come which one of its stops names. In a statement of its own, after the
 * commit that made the asset: a change that is not seen here commits later, and finds the asset.
 */
export async function tellArrival(db: Queryable, asset: string): Promise<void> {
  const { rows } = await db.query<RouteKey>(findWaitingRoutes, [asset]);
  if (rows.length > 0) await db.query(tellRoutes, [textArray(rows.map(routeScope))]);
}
