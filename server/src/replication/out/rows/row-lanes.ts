import { giveUpFiles } from '../../../assets/queries.ts';
import type { HostGate } from '../../control/host-gate.ts';
import type { Leases } from '../lease.ts';
import type { ReplicationLog } from '../replication-log.ts';
import { assetFile } from './assets.ts';
import { reportFile } from './load-reports.ts';
import type { RowDeps } from './row-file.ts';
import { RowLane } from './row-lane.ts';
import { signInFile } from './sign-ins.ts';
import { reportMissing } from './sql.ts';
import { userFile } from './users.ts';

export interface RowLanesOptions {
  readonly deps: RowDeps;
  readonly leases: Leases;
  readonly gate: HostGate;
  readonly replicationLog: Pick<ReplicationLog, 'write'>;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** A file that a stop names and that has not come by then is missing (protocol.md, Files). */
const MISSING_AFTER_MS = 24 * 3_600_000;
const MISSING_A_SWEEP = 100;

/** Rows that replicate on their own, a lane for each file: none waits for another, and no stop for any of them. */
export class RowLanes {
  readonly #options: RowLanesOptions;
  readonly #lanes: readonly { wake(): void; stop(): Promise<void> }[];
  #sweeping: Promise<void> | undefined;

  constructor(options: RowLanesOptions) {
    const { deps } = options;
    const laneOptions = { ...options, db: deps.db, log: deps.log };
    this.#options = options;
    this.#lanes = [
      new RowLane(userFile(deps), laneOptions),
      new RowLane(signInFile(deps), laneOptions),
      new RowLane(reportFile(deps), laneOptions),
      new RowLane(assetFile(deps), laneOptions),
    ];
  }

  wake(): void {
    for (const lane of this.#lanes) lane.wake();
  }

  /** Finds what lost wake-ups missed, and gives up files that never came. */
  sweep(): void {
    this.#sweeping ??= this.#giveUpMissing().finally(() => {
      this.#sweeping = undefined;
      this.wake();
    });
  }

  async stop(): Promise<void> {
    await this.#sweeping;
    await Promise.all(this.#lanes.map((lane) => lane.stop()));
  }

  async #giveUpMissing(): Promise<void> {
    const { db, clock, log } = this.#options.deps;
    try {
      const missing = await giveUpFiles(db, new Date(clock().getTime() - MISSING_AFTER_MS), MISSING_A_SWEEP);
      if (missing.length === 0) return;
      await db.query(reportMissing, [missing]);
      log.warn({ assets: missing.length }, 'files that stops name have not come for a day');
    } catch (error) {
      log.warn({ err: error }, 'files that never came could not be given up: the next sweep tries again');
    }
  }
}
