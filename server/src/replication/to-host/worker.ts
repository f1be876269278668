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
import type { FileSource } from '../../assets/file-bytes.ts';
import type { ImportNow } from './route-pass.ts';
import { releaseParked, reportPause } from './route-sql.ts';
import { watchedHost, type HostWatch } from '../control/watch.ts';

export interface WorkerOptions {
  readonly db: Queryable;
  /** For files that are objects. */
  readonly store?: FileSource['store'];
  readonly host: Host;
  readonly boss: Pick<PgBoss, 'work' | 'offWork'>;
  readonly importNow: ImportNow;
  readonly log: Log;
  readonly clock: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Names this worker among all on all nodes: a UUID. */
  readonly owner: string;
  /** Routes in work at the same time, each on a host connection of its own. */
  readonly lanes?: number;
  readonly times?: Partial<WorkerTimes>;
  readonly watch?: HostWatch | undefined;
  /** Resolves when a route may begin; absent where no drivers' changes come into this process. */
  readonly giveWay?: () => Promise<void>;
}

export interface WorkerTimes {
  /** The longest delay after a lost wake-up. */
  readonly sweepMs: number;
  readonly leaseMs: number;
  readonly renewMs: number;
  /** The longest delay of a route's close by parked stops. */
  readonly closeDelayMs: number;
  /** The interval between probes of a paused file. */
  readonly pauseMs: number;
}

/** The worker's view of the host, without a query. */
export interface HostStatus {
  readonly breaker: Breaker;
  /** Files of the host that are not set up for the service; work that needs them waits. */
  readonly paused: readonly PausedFile[];
  /** Why no writes begin; undefined where they may. */
  readonly hold: Hold | undefined;
}

export type ReplicationState = Backlog & HostStatus;

const TIMES: WorkerTimes = {
  sweepMs: 5_000,
  leaseMs: 8_000,
  renewMs: 2_500,
  closeDelayMs: 30 * 60_000,
  pauseMs: 15_000,
};
const LANES = 4;

/**
 * The worker writes drivers' records to the host's tables. Nothing above waits for it (I14). Routes and the rows
 * that replicate on their own run side by side through one gate, which detects an outage once.
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
      onPaused: (pause) => void this.#runQuietly(reportPause, [JSON.stringify(pause)]),
      onResumed: () => void this.#runQuietly(releaseParked).then(() => this.wake()),
    });
    this.#holds = new HoldWatch({
      db,
      host,
      log,
      onChange: (hold) => {
        if (!hold) this.#routes.drainWithOneLane();
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
      giveWay: options.giveWay ?? (() => Promise.resolve()),
    });
    this.#rows = new RowLanes({
      deps: { db, store: options.store, host, owner, clock, log },
      replicationLog,
      leases: this.#leases,
      gate: this.#gate,
      random,
      sweepMs: this.#times.sweepMs,
    });
  }

  async start(): Promise<void> {
    const { boss } = this.#options;
    // A job only means that there is work: one call takes many.
    const options = { batchSize: 50, burstWhenBatchFull: true };
    const work = async (queue: string, wake: () => void) =>
      this.#jobs.push([queue, await boss.work(queue, options, async () => wake())]);
    await work(queues.replicate, () => this.#routes.wake());
    await work(queues.replicateRows, () => this.#rows.wake());
    // Before the first write.
    await this.#holds.start();
    this.#rows.start();
    this.#sweep = setInterval(() => this.#routes.wake(), this.#times.sweepMs);
    // The worker that paused a file may be gone: each new worker retries its entries once.
    await this.#runQuietly(releaseParked);
    this.wake();
  }

  /** Starts a search for work. */
  wake(): void {
    this.#routes.wake();
    this.#rows.wake();
  }

  /** Ends after the rows in progress; their confirmations are saved. */
  async stop(): Promise<void> {
    clearInterval(this.#sweep);
    await this.#holds.stop();
    const { boss } = this.#options;
    for (const [queue, id] of this.#jobs) await boss.offWork(queue, { id });
    const lanes = [this.#routes.stop(), this.#gate.stop()];
    await Promise.all(lanes);
    // After the gate, which makes the lanes end.
    await this.#rows.stop();
    await this.#leases.close();
  }

  get status(): HostStatus {
    return { breaker: this.#gate.breaker, paused: this.#gate.paused, hold: this.#holds.current };
  }

  /** The hold that has taken effect: no write is in progress, and none begins. */
  get quietHold(): string | undefined {
    const isQuiet = this.#gate.isHalted && this.#routes.isIdle && this.#rows.isIdle;
    return isQuiet ? this.#holds.current?.id : undefined;
  }

  /** For health and operators. */
  async state(): Promise<ReplicationState> {
    return { ...(await readBacklog(this.#options.db)), ...this.status };
  }

  /** Parked entries are retried anyway: a failure here costs time and no row. */
  async #runQuietly(statement: Statement, values: unknown[] = []): Promise<void> {
    try {
      await this.#options.db.query(statement, values);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'the state of a paused file could not be saved');
    }
  }
}
