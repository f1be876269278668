import type { PgBoss } from 'pg-boss';
import type { Queryable, Statement } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import { queues } from '../../mutations/jobs/wakeups.ts';
import { readBacklog, type Backlog } from './backlog.ts';
import type { Breaker } from '../control/breaker.ts';
import { HoldWatch, type Hold } from '../control/hold.ts';
import { HostGate, type PausedFile } from '../control/host-gate.ts';
import { HostStops } from './host-stops.ts';
import type { Host } from '../../host/host.ts';
import { Leases } from './lease.ts';
import { ReplicationLog } from './replication-log.ts';
import { RouteLanes } from './route-lanes.ts';
import { RowLanes } from './rows/row-lanes.ts';
import type { ImportNow } from './route-pass.ts';
import { releaseParked, reportPause } from './route-sql.ts';
import { watchedHost, type HostWatch } from '../control/watch.ts';

export interface WorkerOptions {
  readonly db: Queryable;
  readonly host: Host;
  readonly boss: Pick<PgBoss, 'work' | 'offWork'>;
  readonly importNow: ImportNow;
  readonly log: Log;
  readonly clock: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Names this worker among all on all nodes: a UUID. */
  readonly owner: string;
  /** Routes that are worked on at the same time, each on a host connection of its own. */
  readonly lanes?: number;
  readonly times?: Partial<WorkerTimes>;
  readonly watch?: HostWatch | undefined;
}

export interface WorkerTimes {
  /** What a lost wake-up costs at most. */
  readonly sweepMs: number;
  readonly leaseMs: number;
  readonly renewMs: number;
  /** Parked stops hold back the route's close for so long. */
  readonly closeDelayMs: number;
  /** A file that is not set up for us is asked for so often. */
  readonly pauseMs: number;
}

/** What this worker knows of the host without asking anybody. */
export interface HostStanding {
  readonly breaker: Breaker;
  /** Files of the host that are not set up for us; what needs them waits. */
  readonly paused: readonly PausedFile[];
  /** Why nothing is written at all; undefined where something may be. */
  readonly hold: Hold | undefined;
}

export type ReplicationState = Backlog & HostStanding;

const TIMES: WorkerTimes = {
  sweepMs: 5_000,
  leaseMs: 8_000,
  renewMs: 2_500,
  closeDelayMs: 30 * 60_000,
  pauseMs: 15_000,
};
const LANES = 4;

/**
 * The way out: brings what drivers recorded into the host's tables. Nothing above waits for it (I14). Routes and the rows
 * that replicate on their own go side by side, through one gate: an outage is found out once.
 */
export class ReplicationWorker {
  readonly #options: WorkerOptions;
  readonly #times: WorkerTimes;
  readonly #leases: Leases;
  readonly #gate: HostGate;
  readonly #holds: HoldWatch;
  readonly #routes: RouteLanes;
  readonly #rows: RowLanes;
  readonly #jobs: [queue: string, id: string][] = [];
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: WorkerOptions) {
    const { db, owner, importNow, clock, log, random, watch } = options;
    const host = watch ? watchedHost(options.host, watch) : options.host;
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#leases = new Leases({ db, owner, ...this.#times });
    this.#gate = new HostGate({
      host,
      log,
      clock,
      random,
      onOpen: () => this.wake(),
      pauseMs: this.#times.pauseMs,
      onPaused: (pause) => void this.#note(reportPause, [JSON.stringify(pause)]),
      onResumed: () => void this.#note(releaseParked).then(() => this.wake()),
    });
    this.#holds = new HoldWatch({
      db,
      host,
      log,
      onChange: (hold) => {
        if (!hold) this.#routes.calm();
        this.#gate.hold(hold !== undefined);
      },
      everyMs: this.#times.sweepMs,
    });
    const replicationLog = new ReplicationLog({ host, gate: this.#gate, clock, log });
    this.#routes = new RouteLanes({
      deps: {
        db,
        replicationLog,
        host: new HostStops(host, this.#gate),
        leases: this.#leases,
        gate: this.#gate,
        importNow,
        clock,
        log,
        closeDelayMs: this.#times.closeDelayMs,
        watch,
      },
      leases: this.#leases,
      gate: this.#gate,
      log,
      random,
      lanes: options.lanes ?? LANES,
      sweepMs: this.#times.sweepMs,
    });
    this.#rows = new RowLanes({
      deps: { db, host, owner, clock, log },
      replicationLog,
      leases: this.#leases,
      gate: this.#gate,
      random,
      sweepMs: this.#times.sweepMs,
    });
  }

  async start(): Promise<void> {
    const { boss } = this.#options;
    // A job says "there is work", no more: many are taken at once.
    const options = { batchSize: 50, burstWhenBatchFull: true };
    const work = async (queue: string, wake: () => void) =>
      this.#jobs.push([queue, await boss.work(queue, options, async () => wake())]);
    await work(queues.replicate, () => this.#routes.wake());
    await work(queues.replicateRows, () => this.#rows.wake());
    // Before anything is written.
    await this.#holds.start();
    this.#rows.start();
    this.#sweep = setInterval(() => this.#routes.wake(), this.#times.sweepMs);
    // Whoever paused a file may be gone: what waits for it is tried once by each new worker.
    await this.#note(releaseParked);
    this.wake();
  }

  /** Says that there may be work. */
  wake(): void {
    this.#routes.wake();
    this.#rows.wake();
  }

  /** Ends after the rows that are being written; what they have confirmed is saved. */
  async stop(): Promise<void> {
    clearInterval(this.#sweep);
    await this.#holds.stop();
    const { boss } = this.#options;
    for (const [queue, id] of this.#jobs) await boss.offWork(queue, { id });
    const lanes = [this.#routes.stop(), this.#gate.stop()];
    await Promise.all(lanes);
    // After the gate: it tells the lanes to end.
    await this.#rows.stop();
    await this.#leases.close();
  }

  get standing(): HostStanding {
    return { breaker: this.#gate.breaker, paused: this.#gate.paused, hold: this.#holds.current };
  }

  /** For health and operators. */
  async state(): Promise<ReplicationState> {
    return { ...(await readBacklog(this.#options.db)), ...this.standing };
  }

  /** What was put aside is tried again by itself: that this fails costs time and no row. */
  async #note(statement: Statement, values: unknown[] = []): Promise<void> {
    try {
      await this.#options.db.query(statement, values);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'what became of a paused file could not be noted');
    }
  }
}
