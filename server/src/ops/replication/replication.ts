import type { Db, Queryable } from '../../db/types.ts';
import { readBacklog } from '../../replication/to-host/backlog.ts';
import { listWorkers, type KnownWorker } from '../../replication/control/heartbeat.ts';
import { listSamples } from '../../replication/to-host/lag-samples.ts';
import { listHolds } from '../holds/holds.ts';
import { routeAfter, pageOf, type Page } from '../pages.ts';
import * as sql from './replication-sql.ts';
import { endpoint } from '../../http/answers/endpoint.ts';
import type { FileBacklog, ReplicationStatus, RouteBacklog, RouteBacklogQuery, WorkerStatus } from './contract.ts';
import { replicationOperations } from './contract.ts';

type FileRow = Omit<FileBacklog, 'oldest_pending_at'> & { readonly oldest_at: Date | null };

/**
 * The backlog of the host and the state of its workers. Reads the mirror alone, because the host may be unreachable.
 */
async function readReplication(db: Queryable): Promise<ReplicationStatus> {
  const [backlog, { rows: files }, workers, holds] = await Promise.all([
    readBacklog(db),
    db.query<FileRow>(sql.listFileBacklog),
    listWorkers(db),
    listHolds(db),
  ]);
  return {
    lag_seconds: backlog.lagSeconds,
    routes_behind: backlog.routes,
    versions_behind: backlog.versions,
    parked: backlog.parked,
    hold: holds.find(({ in_force }) => in_force) ?? null,
    files: files.map(({ oldest_at, ...file }) => ({ ...file, oldest_pending_at: oldest_at?.toISOString() ?? null })),
    workers: workers.map(statusOf),
  };
}

const statusOf = ({ worker, startedAt, seenAt, alive, state }: KnownWorker): WorkerStatus => ({
  worker,
  node: state?.node ?? null,
  started_at: startedAt.toISOString(),
  seen_at: seenAt.toISOString(),
  alive,
  breaker: state?.breaker ?? null,
  paused: state?.paused ?? [],
});

type RouteRow = {
  readonly facility: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly version: number;
  readonly hosted_through: number;
  readonly changed_at: Date;
  readonly oldest_at: Date | null;
  readonly parked: number;
  readonly claimed: boolean;
  readonly claimed_by: string | null;
  readonly position: string;
};

/** Lists routes with changes that the host lacks, the longest wait first. */
async function listRouteBacklog(
  db: Queryable,
  { facility, limit, cursor }: RouteBacklogQuery,
): Promise<Page<RouteBacklog>> {
  const from = routeAfter(cursor) ?? [null, null, null, null];
  const { rows } = await db.query<RouteRow>(sql.listRouteBacklog, [facility ?? null, ...from, limit + 1]);
  return pageOf(rows, limit, {
    item: ({ changed_at, oldest_at, position: _position, ...route }) => ({
      ...route,
      changed_at: changed_at.toISOString(),
      oldest_pending_at: oldest_at?.toISOString() ?? null,
    }),
    position: ({ position, facility: of, route_id, week_end }) => [position, of, route_id, week_end],
  });
}

/** Operators: the backlog of the host. */
export function replicationEndpoints(db: Db) {
  return {
    readReplication: endpoint(replicationOperations.readReplication, async () => ({ data: await readReplication(db) })),

    listHostLag: endpoint(replicationOperations.listHostLag, async () => ({
      data: (await listSamples(db)).map(({ at, ...sample }) => ({ at: at.toISOString(), ...sample })),
    })),

    listRouteBacklog: endpoint(replicationOperations.listRouteBacklog, ({ query }) => listRouteBacklog(db, query)),
  };
}
