import { randomUUID } from 'node:crypto';
import type { Host } from '../../server/src/host/host.ts';
import { HostGate } from '../../server/src/replication/control/host-gate.ts';
import { Leases } from '../../server/src/replication/to-host/lease.ts';
import { ReplicationLog } from '../../server/src/replication/to-host/replication-log.ts';
import { assetFile } from '../../server/src/replication/to-host/rows/assets.ts';
import { reportFile } from '../../server/src/replication/to-host/rows/load-reports.ts';
import type { PendingRow, RowFile } from '../../server/src/replication/to-host/rows/row-file.ts';
import { RowLane } from '../../server/src/replication/to-host/rows/row-lane.ts';
import { signInFile } from '../../server/src/replication/to-host/rows/sign-ins.ts';
import { userFile } from '../../server/src/replication/to-host/rows/users.ts';
import type { Depot } from './depot.ts';
import { FaultyHost, type HostFault } from './faulty-host.ts';
import { type KillPoint, KillableDatabase } from './killable-database.ts';
import type { Quiescence } from './quiescence.ts';
import type { WorldTime } from './world-time.ts';

export interface RowPassDeps {
  readonly depot: Depot;
  readonly time: WorldTime;
  readonly quiescence: Quiescence;
  /** Parts of keys that belong to this world: its drivers, reports and files. */
  readonly isOwn: (key: readonly string[]) => boolean;
  /** Runs after each transaction that the host has committed: its other programs read it at any moment. */
  readonly committed: () => Promise<void>;
}

export interface RowPassFaults {
  readonly killPoint?: KillPoint | undefined;
  readonly hostFault?: HostFault | undefined;
}

/** More rows than all worlds together have. */
const ALL_ROWS = 1_000_000;

/**
 * A worker's search through the files whose rows replicate on their own: users, sign-ins, reports, files. A lease is of
 * a whole file, so worlds take turns. The real gate has one breaker for a process; each pass is a process of its own.
 */
export async function rowPass(deps: RowPassDeps, faults: RowPassFaults): Promise<void> {
  await deps.depot.inTurn(() => searchAll(deps, faults));
}

async function searchAll(deps: RowPassDeps, { killPoint, hostFault }: RowPassFaults): Promise<void> {
  const { depot, time, quiescence, isOwn, committed } = deps;
  const { log } = depot;
  const db = new KillableDatabase(depot.db, quiescence, () => undefined);
  const watched: Host = {
    ...depot.host,
    transaction: async (work) => {
      const result = await depot.host.transaction(work);
      await committed();
      return result;
    },
  };
  const host = new FaultyHost(watched, hostFault, () => Promise.resolve());
  const owner = randomUUID();
  const leases = new Leases({ db, owner });
  const clock = (): Date => new Date(time.now);
  const random = (): number => 0;
  const nothing = (): void => undefined;
  const gate = new HostGate({
    host,
    log,
    clock,
    random,
    pauseMs: 200,
    onOpen: nothing,
    onPaused: nothing,
    onResumed: nothing,
  });
  const options = {
    db,
    leases,
    gate,
    log,
    clock,
    random,
    replicationLog: new ReplicationLog({ host, gate, clock, log }),
  };
  const file = { db, host, owner, clock, log };
  // The database's clock is not the world's: a refused row is due again at the next pass.
  await depot.db.query('update parked_row set next_try_at = now() where skipped_at is null');
  if (killPoint) db.setKillPoint(killPoint);
  const search = <Row extends PendingRow>(rows: RowFile<Row>): RowLane<Row> => {
    const load = async (limit: number): Promise<Row[]> =>
      (await rows.load(ALL_ROWS)).filter(({ key }) => isOwn(key)).slice(0, limit);
    return new RowLane({ ...rows, load }, options);
  };
  const lanes = [search(userFile(file)), search(signInFile(file)), search(reportFile(file)), search(assetFile(file))];
  for (const lane of lanes) {
    lane.wake();
    await lane.stop();
  }
  await gate.stop();
  // Nothing that a lane has planned for later begins: the gate is closed.
  for (const lane of lanes) await lane.stop();
  await quiescence.reached();
  await leases.close().catch(nothing);
  // The lease of a killed worker expires.
  if (db.isKilled) await depot.db.query('update route_lease set expires_at = now() where owner = $1', [owner]);
}
