import { markMissingFiles } from '../../../assets/queries.ts';
import { Interval } from '../../../runtime/interval.ts';
import type { HostGate } from '../../control/host-gate.ts';
import type { Leases } from '../lease.ts';
import type { ReplicationLog } from '../replication-log.ts';
import { assetFile } from './assets.ts';
import { reportFile } from './load-reports.ts';
import type { RowDeps } from './row-file.ts';
import { RowLane } from './row-lane.ts';
import { signInFile } from './sign-ins.ts';
import { reportMissing, settleShadows } from './sql.ts';
import { userFile } from './users.ts';

export interface RowLanesOptions {
  readonly deps: RowDeps;
  readonly leases: Leases;
  readonly gate: HostGate;
  readonly replicationLog: Pick<ReplicationLog, 'write'>;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly sweepMs: number;
}

/** A named file that has not arrived by then is missing (protocol.md, Files). */
const MISSING_AFTER_MS = 24 * 3_600_000;
const MISSING_A_SWEEP = 100;

interface Lane {
  readonly isIdle: boolean;
  wake(): void;
  stop(): Promise<void>;
}

/** Rows that replicate on their own, one lane a file: no file delays another, or a stop. */
export class RowLanes {
  readonly #options: RowLanesOptions;
  readonly #lanes: readonly Lane[];
  readonly #sweep: Interval;

  constructor(options: RowLanesOptions) {
    const { deps, sweepMs } = options;
    const laneOptions = { ...options, db: deps.db, clock: deps.clock, log: deps.log };
    this.#options = options;
    this.#lanes = [
      new RowLane(userFile(deps), laneOptions),
      new RowLane(signInFile(deps), laneOptions),
      new RowLane(reportFile(deps), laneOptions),
      new RowLane(assetFile(deps), laneOptions),
    ];
    this.#sweep = new Interval({
      work: () => this.#giveUpMissing().finally(() => this.wake()),
      everyMs: sweepMs,
      onError: (err) =>
        deps.log.warn({ err }, 'files that never came could not be given up: the next sweep tries again'),
    });
  }

  wake(): void {
    for (const lane of this.#lanes) lane.wake();
  }

  get isIdle(): boolean {
    return this.#lanes.every((lane) => lane.isIdle);
  }

  /** Begins the sweeps: each gives up files that never came, and makes good lost wake-ups. */
  start(): void {
    this.#sweep.start();
  }

  async stop(): Promise<void> {
    await this.#sweep.stop();
    await Promise.all(this.#lanes.map((lane) => lane.stop()));
  }

  async #giveUpMissing(): Promise<void> {
    const { db, clock, log } = this.#options.deps;
    await db.query(settleShadows);
    const now = clock();
    const missing = await markMissingFiles(db, new Date(now.getTime() - MISSING_AFTER_MS), MISSING_A_SWEEP);
    if (missing.length === 0) return;
    await db.query(reportMissing, [missing, now]);
    log.warn({ assets: missing.length }, 'files that stops name have not come for a day');
  }
}
