import { hostname } from 'node:os';
import type { Queryable } from '../../db/types.ts';
import { Interval } from '../../runtime/interval.ts';
import type { Log } from '../../runtime/log.ts';
import type { Breaker } from './breaker.ts';
import * as sql from './heartbeat-sql.ts';
import type { PausedFile } from './host-gate.ts';

const INTERVAL_MS = 5_000;
/** A worker without a beat for this long is missing: three beats may be late. */
const SILENT_AFTER_S = 20;

/** The state that a worker stores with each beat. */
interface WorkerState {
  /** The machine; absent for a worker of an older release. */
  readonly node?: string;
  readonly breaker: {
    readonly state: 'open' | 'closed';
    readonly failures: number;
    readonly since: string | null;
    readonly reason: string;
  };
  readonly paused: { readonly file: string; readonly reason: string; readonly since: string }[];
  /** The hold that has taken effect here; absent for a worker of an older release. */
  readonly quiet_hold?: string | null;
}

export interface HeartbeatOptions {
  readonly db: Queryable;
  /** Names this worker among all: a UUID. */
  readonly worker: string;
  /** The worker's view of the host: each beat stores it. */
  readonly hostStatus: () => {
    readonly breaker: Breaker;
    readonly paused: readonly PausedFile[];
    readonly quietHold?: string | undefined;
  };
  readonly log: Log;
  readonly intervalMs?: number;
}

/**
 * Records in the database that a process replicates, for nodes without a worker (contract §7). It beats only while
 * replication runs: a process that has never reached its host is no worker yet.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  /** Never two beats at a time: the later one could land behind the statement of `stop`. */
  readonly #heartbeats: Interval;

  constructor(options: HeartbeatOptions) {
    const { intervalMs = INTERVAL_MS, log } = options;
    this.#options = options;
    this.#heartbeats = new Interval({
      work: () => this.#record(),
      everyMs: intervalMs,
      onError: (err) => log.warn({ err }, 'a worker could not save its heartbeat; it tries again'),
    });
  }

  /** Resolves after the first beat. */
  async start(): Promise<void> {
    await this.#heartbeats.run();
    this.#heartbeats.start();
  }

  /** Deletes the worker's row, so that the other nodes notice at once. */
  async stop(): Promise<void> {
    await this.#heartbeats.stop();
    const { db, worker, log } = this.#options;
    await db
      .query(sql.deleteHeartbeat, [worker])
      .catch((err: unknown) => log.warn({ err }, 'a worker could not delete its heartbeat'));
  }

  async #record(): Promise<void> {
    const { db, worker, hostStatus } = this.#options;
    await db.query(sql.recordHeartbeat, [worker, JSON.stringify({ node: hostname(), ...stateOf(hostStatus()) })]);
  }
}

const stateOf = ({ breaker, paused, quietHold }: ReturnType<HeartbeatOptions['hostStatus']>): WorkerState => ({
  breaker: {
    state: breaker.state,
    failures: breaker.failures,
    since: breaker.state === 'open' ? breaker.since.toISOString() : null,
    reason: breaker.state === 'open' ? breaker.reason : '',
  },
  paused: paused.map(({ file, reason, since }) => ({ file, reason, since: since.toISOString() })),
  quiet_hold: quietHold ?? null,
});

/** @throws Error where no worker on any node has beaten within `SILENT_AFTER_S` */
export async function findLiveWorker(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ alive: number }>(sql.countAlive, [SILENT_AFTER_S]);
  if (!rows[0]?.alive) throw new Error(`no worker has sent a heartbeat for ${SILENT_AFTER_S} s`);
}

export interface KnownWorker {
  readonly worker: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** Its last beat is recent. */
  readonly alive: boolean;
  /** Its state at the last beat; undefined for a worker of an older release. */
  readonly state: WorkerState | undefined;
}

/** The workers of all nodes, also those that ended within the last day. */
export async function listWorkers(db: Queryable): Promise<KnownWorker[]> {
  const { rows } = await db.query<WorkerRow>(sql.listWorkers, [SILENT_AFTER_S]);
  return rows.map(({ worker, started_at, seen_at, alive, state }) => ({
    worker,
    startedAt: started_at,
    seenAt: seen_at,
    alive,
    state: state === null ? undefined : readState(state),
  }));
}

type WorkerRow = { worker: string; started_at: Date; seen_at: Date; alive: boolean; state: string | null };
const readState: (json: string) => WorkerState = JSON.parse;
