import { randomUUID } from 'node:crypto';
import { HostImport } from '../../server/src/replication/from-host/import.ts';
import { HostStops } from '../../server/src/replication/to-host/host-stops.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { ReplicationLog } from '../../server/src/replication/to-host/replication-log.ts';
import { replicateRoute } from '../../server/src/replication/to-host/route-pass.ts';
import type { Depot } from './depot.ts';
import type { routeOf } from './model/fixture.ts';
import { FaultyHost, type HostFault } from './faulty-host.ts';
import { type KillPoint, KillableDatabase } from './killable-database.ts';
import type { Office } from './office.ts';
import type { Quiescence } from './quiescence.ts';
import type { WorldTime } from './world-time.ts';

export interface WorkerDeps {
  readonly depot: Depot;
  readonly route: ReturnType<typeof routeOf>;
  readonly office: Office;
  readonly time: WorldTime;
  readonly quiescence: Quiescence;
}

/** The events of one pass. */
export interface PassFaults {
  readonly killPoint?: KillPoint | undefined;
  readonly hostFault?: HostFault | undefined;
  /** A clerk who writes first. */
  readonly clerkWrites: () => Promise<void>;
}

/** Worker passes over a route of a world. A pass may be killed, and may find the host unreachable. */
export async function workerPass(deps: WorkerDeps, { killPoint, hostFault, clerkWrites }: PassFaults): Promise<void> {
  const { depot, route, office, time, quiescence } = deps;
  const { db, gate, log } = depot;
  const killable = new KillableDatabase(db, quiescence, () => undefined);
  if (killPoint) killable.setKillPoint(killPoint);
  const host = new FaultyHost(depot.host, hostFault, clerkWrites);
  const leases = new Leases({ db: killable, owner: randomUUID() });
  const clock = (): Date => new Date(time.now);
  const importNow: HostImport['importEdits'] = (edits) => {
    const { submit } = depot;
    const changes = office.changes(host);
    return new HostImport({ db: killable, host, leases, submit, clock, log, changes, pollSeconds: 0 }).importEdits(
      edits,
    );
  };
  const pass = {
    db: killable,
    host: new HostStops(host, gate),
    leases,
    importNow,
    clock,
    log,
    closeDelayMs: 0,
    gate,
    replicationLog: new ReplicationLog({ host, gate, clock, log }),
  };
  try {
    const lease = await leases.acquire(route);
    if (!lease) throw new Error('another worker has the route');
    try {
      await replicateRoute(pass, lease);
    } finally {
      await leases.release(lease);
    }
  } catch (error) {
    if (!killable.isKilled && !host.hasFailed) throw error;
    if (!killable.isKilled) return;
    await quiescence.reached();
    // The lease of a killed worker expires.
    await db.query('update route_lease set expires_at = now() where route_id = $1', [route.id]);
  } finally {
    await leases.close().catch(() => undefined);
  }
}
