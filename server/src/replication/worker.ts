import { routeScope } from '@tailgate/sync-protocol';
import type { PgBoss } from 'pg-boss';
import type { Queryable } from '../db/types.ts';
import type { Log } from '../log.ts';
import { queues } from '../mutations/wakeups.ts';
import { answer, closedBreaker, fail, routeDelayMs, type Breaker } from './breaker.ts';
import { HostStops } from './host-stops.ts';
import { HostError, type Host } from './host/host.ts';
import { Leases, type Lease } from './lease.ts';
import { replicateRoute, type ImportNow, type PassGround } from './route-pass.ts';
import { replicationState } from './route-sql.ts';

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
}

export interface WorkerTimes {
  /** What a lost wake-up costs at most. */
  readonly sweepMs: number;
  readonly leaseMs: number;
  readonly renewMs: number;
  /** Parked stops hold back the route's close for so long. */
  readonly closeDelayMs: number;
}

export interface ReplicationState {
  /** Routes with something that the host does not have, and how many versions that is. */
  readonly routes: number;
  readonly versions: number;
  /** Age of the oldest mutation that the host does not have. */
  readonly lagSeconds: number;
  readonly parked: number;
  readonly breaker: Breaker;
}

const TIMES: WorkerTimes = { sweepMs: 5_000, leaseMs: 8_000, renewMs: 2_500, closeDelayMs: 30 * 60_000 };
const LANES = 4;
/** Claimed at once: enough that lanes seldom wait for a claim, few enough that other nodes get their share. */
const CLAIM_SIZE = 16;
/** While another worker has a route with work: its next change may have been announced to us alone. */
const LOOK_AGAIN_MS = 250;
/** A failure of our own (PostgreSQL away, a bug): the sweep comes back to the route. */
const OWN_FAILURE_MS = 1_000;

/**
 * The way out: brings what drivers recorded into the host's tables. Wake-ups and the sweep only say that there may be
 * work; what is to be done stands in the mirror (I8). Nothing above waits for it (I14).
 *
 *   wake-up, sweep ─► claim routes that are behind ─► lanes ─► replicateRoute ─► hosted_through
 *                          ▲                            │ host away: breaker, one probe, then on
 *                          └────────────────────────────┘ rows locked: this route later, the others go on
 */
export class ReplicationWorker {
  readonly #options: WorkerOptions;
  readonly #times: WorkerTimes;
  readonly #leases: Leases;
  readonly #ground: PassGround;
  readonly #lanes = new Set<Promise<void>>();
  readonly #failures = new Map<string, number>();
  #claimed: Lease[] = [];
  #claiming: Promise<void> | undefined;
  #wanted = false;
  #wakes = 0;
  #stopping = false;
  #breaker: Breaker = closedBreaker;
  #job: string | undefined;
  #sweep: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #probe: NodeJS.Timeout | undefined;
  #probing: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    const { db, host, owner, importNow, clock, log } = options;
    this.#options = options;
    this.#times = { ...TIMES, ...options.times };
    this.#leases = new Leases({ db, owner, ...this.#times });
    this.#ground = {
      db,
      host: new HostStops(host),
      leases: this.#leases,
      importNow,
      clock,
      log,
      closeDelayMs: this.#times.closeDelayMs,
      onHosted: () => {
        this.#breaker = this.#breaker.failures > 0 ? closedBreaker : this.#breaker;
      },
      stopping: () => this.#stopping,
    };
  }

  async start(): Promise<void> {
    const { boss } = this.#options;
    // A job says "there is work", no more: many are taken at once.
    const options = { batchSize: 50, burstWhenBatchFull: true };
    this.#job = await boss.work(queues.replicate, options, async () => this.wake());
    this.#sweep = setInterval(() => this.wake(), this.#times.sweepMs);
    this.wake();
  }

  /** Says that there may be work. */
  wake(): void {
    this.#wakes += 1;
    this.#wanted = true;
    const lanes = this.#options.lanes ?? LANES;
    while (this.#mayWork() && this.#lanes.size < lanes) {
      const lane: Promise<void> = this.#lane().finally(() => {
        this.#lanes.delete(lane);
        // The wake-up may have come between this lane's last look and its end.
        if (this.#wanted && this.#mayWork() && this.#lanes.size === 0) this.wake();
      });
      this.#lanes.add(lane);
    }
  }

  /** Ends after the stops that are being written; what they have confirmed is saved. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#sweep);
    clearTimeout(this.#look);
    clearTimeout(this.#probe);
    if (this.#job !== undefined) await this.#options.boss.offWork(queues.replicate, { id: this.#job });
    await Promise.all(this.#lanes);
    await this.#probing;
    await this.#giveBack(this.#claimed.splice(0), 0);
    await this.#leases.close();
  }

  /** For health and operators. */
  async state(): Promise<ReplicationState> {
    const { rows } = await this.#options.db.query<StateRow>(replicationState);
    const { routes = 0, versions = 0, lag_s: lagSeconds = 0, parked = 0 } = rows[0] ?? {};
    return { routes, versions, lagSeconds, parked, breaker: this.#breaker };
  }

  #mayWork(): boolean {
    return !this.#stopping && this.#breaker.state === 'closed';
  }

  async #lane(): Promise<void> {
    for (;;) {
      const lease = this.#mayWork() ? await this.#next() : undefined;
      if (!lease) return;
      await this.#replicate(lease);
    }
  }

  async #next(): Promise<Lease | undefined> {
    for (;;) {
      const lease = this.#claimed.shift();
      if (lease) return lease;
      if (!this.#claiming && !this.#wanted) return undefined;
      await (this.#claiming ??= this.#claim().finally(() => (this.#claiming = undefined)));
      if (this.#claimed.length === 0 && !this.#wanted) return undefined;
    }
  }

  async #claim(): Promise<void> {
    this.#wanted = false;
    try {
      this.#claimed.push(...(await this.#leases.claim(CLAIM_SIZE, this.#times.closeDelayMs)));
      if (this.#claimed.length > 0) this.#wanted = true;
      else await this.#lookAgain();
    } catch (error) {
      this.#options.log.warn({ err: error }, 'no routes could be claimed: the sweep tries again');
    }
  }

  /** What is in other hands now, or was put off by us, may need somebody before the next sweep. */
  async #lookAgain(): Promise<void> {
    const { others, oursMs } = await this.#leases.inOtherHands();
    const waitMs = Math.min(others ? LOOK_AGAIN_MS : Infinity, oursMs ?? Infinity);
    if (waitMs >= this.#times.sweepMs || this.#stopping) return;
    clearTimeout(this.#look);
    this.#look = setTimeout(() => this.wake(), Math.max(waitMs, 1));
  }

  async #replicate(lease: Lease): Promise<void> {
    const scope = routeScope(lease.key);
    const wakes = this.#wakes;
    try {
      const outcome = await replicateRoute(this.#ground, lease);
      this.#failures.delete(scope);
      if (outcome === 'lost') this.#leases.forget(lease);
      if (outcome === 'stopped') await this.#giveBack([lease], 0);
      // What was announced while we had the route was claimed by nobody.
      if (wakes !== this.#wakes || outcome === 'lost') this.#wanted = true;
    } catch (error) {
      const delayMs = this.#putOff(scope, error);
      await this.#giveBack([lease], delayMs);
      // What was claimed beside it is free for nodes that do reach the host.
      if (this.#breaker.state === 'open') await this.#giveBack(this.#claimed.splice(0), 0);
      this.#wanted = true;
    }
  }

  async #giveBack(leases: readonly Lease[], delayMs: number): Promise<void> {
    try {
      await this.#leases.releaseAll(leases, delayMs);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'leases could not be given back: they run out by themselves');
    }
  }

  /** Nothing is lost and nothing is given up: passing failures have no limit. @returns when to try this route again */
  #putOff(scope: string, error: unknown): number {
    const { log, random } = this.#options;
    if (!(error instanceof HostError)) {
      log.error({ err: error, route: scope }, 'replication of a route failed; it is tried again');
      return OWN_FAILURE_MS;
    }
    if (isLocal(error)) {
      const failures = (this.#failures.get(scope) ?? 0) + 1;
      this.#failures.set(scope, failures);
      log.warn({ route: scope, sqlstate: error.sqlstate, failures }, 'rows of a route are in use on the host');
      return routeDelayMs(failures, random());
    }
    this.#trip(error);
    return 0;
  }

  #trip(error: HostError): void {
    const { log, clock, random } = this.#options;
    if (this.#breaker.state === 'open' && this.#probing === undefined) return;
    const setup = error.kind === 'setup' || error.kind === 'not_journaled';
    const open = fail(this.#breaker, { at: clock(), reason: `${error.sqlstate} ${error.message}`, setup }, random());
    this.#breaker = open;
    const { failures, waitMs } = open;
    const facts = { sqlstate: error.sqlstate, reason: error.message, failures, waitMs };
    if (setup) log.error(facts, 'the host is not set up for us: replication is paused until somebody corrects it');
    else if (failures === 1) log.warn(facts, 'the host does not answer: replication waits for it');
    clearTimeout(this.#probe);
    if (!this.#stopping) this.#probe = setTimeout(() => this.#startProbe(), waitMs);
  }

  #startProbe(): void {
    this.#probing = this.#askHost().finally(() => {
      this.#probing = undefined;
    });
  }

  async #askHost(): Promise<void> {
    try {
      await this.#options.host.ping();
      this.#breaker = answer(this.#breaker);
      this.#options.log.info({}, 'the host answers again');
      this.wake();
    } catch (error) {
      this.#trip(error instanceof HostError ? error : new HostError('08001', String(error), { cause: error }));
    }
  }
}

interface StateRow {
  routes: number;
  versions: number;
  lag_s: number;
  parked: number;
}

/** Locks, deadlocks, objects in use: trouble of these rows and not of the host. */
function isLocal({ sqlstate }: HostError): boolean {
  return /^(40|55)/.test(sqlstate) || sqlstate === '57033';
}
