import type { Db } from '../../db/types.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import { readLoadState } from '../../replication/from-host/load-progress.ts';
import { firstLoadOperations, type FirstLoadReport } from './contract.ts';

async function readFirstLoad(db: Db): Promise<FirstLoadReport> {
  const state = await readLoadState(db);
  if (!state) return { load: null };
  const { startedAt, updatedAt, endedAt, left, counts } = state;
  const { routes, withoutDriver, withoutStops, notDispatched, openFrom, closedFrom, ofOtherCells, ...others } = counts;
  return {
    load: {
      started_at: startedAt.toISOString(),
      updated_at: updatedAt.toISOString(),
      ended_at: endedAt?.toISOString() ?? null,
      routes,
      loaded: Math.max(0, routes - left),
      without_driver: withoutDriver,
      without_stops: withoutStops,
      not_dispatched: notDispatched,
      open_from: openFrom,
      closed_from: closedFrom,
      of_other_cells: ofOtherCells,
      ...others,
    },
  };
}

/** Operators: routes that are new to the server, while they come from the host. */
export function firstLoadEndpoints(db: Db) {
  return {
    readFirstLoad: endpoint(firstLoadOperations.readFirstLoad, async () => ({ data: await readFirstLoad(db) })),
  };
}
