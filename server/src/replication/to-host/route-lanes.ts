import { routeScope } from '@tailgate/sync-protocol';
import type { Log } from '../../runtime/log.ts';
import { ClaimList } from './claim-list.ts';
import { routeDelayMs } from '../control/breaker.ts';
import type { HostGate } from '../control/host-gate.ts';
import { HostError, isLocal, isSystemErrorFinal, reachedLimit } from '../../host/host.ts';
import type { Lease, Leases } from './lease.ts';
import { replicateRoute, type PassDeps, type PassOptions } from './route-pass.ts';

export interface RouteLanesOptions {
  readonly deps: PassDeps;
  readonly leases: Leases;
  readonly gate: HostGate;
  readonly log: Log;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Routes in work at the same time, each on a host connection of its own. */
  readonly lanes: number;
  /** The longest delay after a lost wake-up. */
  readonly sweepMs: number;
  /** Resolves when a route may begin. */
  readonly giveWay: () => Promise<void>;
}

/** Delay while another worker has a route with work: the wake-up of its next change may come to this worker alone. */
const POLL_AGAIN_MS = 250;
/** A route without an answer of its host for this long waits for something of its own, mostly a lock. */
const STALLED_MS = 400;
/** Routes a lane that may wait for locks: a clerk's batch locks a depot's routes at once. */
const STALLED_A_LANE = 3;
/** Delay after a failure of the service's own (PostgreSQL away, a bug). */
const OWN_FAILURE_MS = 1_000;

/**
 * Brings routes to the host, a few at a time. Wake-ups and the sweep only start a search: the mirror has the work (I8).
 *
 *   wake-up, sweep ─► claim routes that are behind ─► lanes ─► replicateRoute ─► hosted_through
 *                          ▲                            │ host away: the gate closes, one probe, then on
 *                          │                            │ rows locked: this route later, the others continue
 *                          │                            │ and meanwhile in the lane's place (`#stalled`)
 *                          └────────────────────────────┘ file paused: what needs it is parked, the rest continues
 */
export class RouteLanes {
  readonly #options: RouteLanesOptions;
  readonly #claimList: ClaimList;
  readonly #lanes = new Set<Promise<void>>();
  readonly #failures = new Map<string, number>();
  /** Of these, internal errors of the host. */
  readonly #systemErrors = new Map<string, number>();
  /**
   * Routes that wait for the host, up to `STALLED_A_LANE` for each lane. They occupy no lane, so that locks delay no
   * other route. A route that has failed starts among them.
   */
  readonly #stalled = new Set<Lease>();
  #claimed: Lease[] = [];
  #claiming: Promise<void> | undefined;
  #wanted = false;
  #wakes = 0;
  #stopping = false;
  #drainWithOneLane = false;
  #poll: NodeJS.Timeout | undefined;

  constructor(options: RouteLanesOptions) {
    this.#options = options;
    this.#claimList = new ClaimList(options.leases, options.deps);
  }

  /** Starts a search for work. */
  wake(): void {
    this.#wakes += 1;
    this.#wanted = true;
    this.#openLanes();
  }

  /**
   * Drains the backlog after a hold by one lane, oldest first, until it is empty: the host's own programs resume at the
   * same time.
   */
  drainWithOneLane(): void {
    this.#drainWithOneLane = true;
  }

  /** Ends after the stops in progress; their confirmations are saved. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#poll);
    await Promise.all(this.#lanes);
    await this.#release(this.#claimed.splice(0), 0);
  }

  /** No route is in work. */
  get isIdle(): boolean {
    return this.#lanes.size === 0;
  }

  #mayWork(): boolean {
    return !this.#stopping && this.#options.gate.isOpen;
  }

  get #maxLanes(): number {
    return this.#drainWithOneLane ? 1 : this.#options.lanes;
  }

  /** Lanes with a route that progresses, and lanes that search for one. */
  get #progressing(): number {
    return this.#lanes.size - this.#stalled.size;
  }

  #openLanes(): void {
    while (this.#mayWork() && this.#progressing < this.#maxLanes) {
      // Counted before it begins: its first route may be one that waits.
      const lane: Promise<void> = Promise.resolve()
        .then(() => this.#lane())
        .finally(() => {
          this.#lanes.delete(lane);
          // The wake-up may have come between this lane's last search and its end.
          if (this.#wanted && this.#mayWork() && this.#progressing === 0) this.wake();
        });
      this.#lanes.add(lane);
    }
  }

  async #lane(): Promise<void> {
    for (;;) {
      await this.#options.giveWay();
      const lease = this.#mayWork() && this.#progressing <= this.#maxLanes ? await this.#next() : undefined;
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
      this.#claimed.push(...(await this.#claimList.claim()));
      if (this.#claimed.length > 0) this.#wanted = true;
      else {
        this.#drainWithOneLane = false;
        await this.#pollAgain();
      }
    } catch (error) {
      this.#options.log.warn({ err: error }, 'no routes could be claimed: the sweep tries again');
    }
  }

  /** Routes of other workers, and delayed ones, may need a worker before the next sweep. */
  async #pollAgain(): Promise<void> {
    const { others, oursMs } = await this.#options.leases.unclaimableWork();
    const waitMs = Math.min(others ? POLL_AGAIN_MS : Infinity, oursMs ?? Infinity);
    if (waitMs >= this.#options.sweepMs || this.#stopping) return;
    clearTimeout(this.#poll);
    this.#poll = setTimeout(() => this.wake(), Math.max(waitMs, 1));
  }

  async #replicate(lease: Lease): Promise<void> {
    const scope = routeScope(lease.key);
    const failures = this.#failures.get(scope) ?? 0;
    if (failures > 0 && !this.#yieldLane(lease))
      return this.#release([lease], Math.max(this.#delayMs(failures), POLL_AGAIN_MS));
    const stalls = setInterval(() => this.#yieldLane(lease), STALLED_MS);
    try {
      const onStop = (): void => {
        this.#stalled.delete(lease);
        stalls.refresh();
      };
      const parksSystemErrors = isSystemErrorFinal(this.#systemErrors.get(scope) ?? 0);
      await this.#runPass(lease, { onStop, oneByOne: failures > 0, parksSystemErrors });
    } finally {
      clearInterval(stalls);
      this.#stalled.delete(lease);
    }
  }

  /** This route waits for the host and gives up its lane. @returns false where too many wait already */
  #yieldLane(lease: Lease): boolean {
    if (!this.#stalled.has(lease) && this.#stalled.size >= this.#maxLanes * STALLED_A_LANE) return false;
    this.#stalled.add(lease);
    this.#openLanes();
    return true;
  }

  async #runPass(lease: Lease, options: PassOptions): Promise<void> {
    const scope = routeScope(lease.key);
    const wakes = this.#wakes;
    try {
      const outcome = await replicateRoute(this.#options.deps, lease, options);
      this.#failures.delete(scope);
      this.#systemErrors.delete(scope);
      if (outcome === 'lost') this.#options.leases.discard(lease);
      // During a hold the import may need the routes, for clerks' edits.
      if (outcome === 'stopped') await this.#release([lease, ...this.#claimed.splice(0)], 0);
      // Changes of this route during the pass were claimed by no worker.
      if (wakes !== this.#wakes || outcome === 'lost') this.#wanted = true;
    } catch (error) {
      const delayMs = this.#delayAfter(scope, error);
      await this.#release([lease], delayMs);
      // Routes claimed beside it are free for nodes that do reach the host.
      if (!this.#options.gate.isOpen) await this.#release(this.#claimed.splice(0), 0);
      this.#wanted = true;
    }
  }

  async #release(leases: readonly Lease[], delayMs: number): Promise<void> {
    try {
      await this.#options.leases.releaseAll(leases, delayMs);
    } catch (error) {
      this.#options.log.warn({ err: error }, 'leases could not be released; they expire');
    }
  }

  /** Delays a route. Nothing is lost or given up: passing failures have no limit. @returns the delay in ms */
  #delayAfter(scope: string, error: unknown): number {
    const { log, gate } = this.#options;
    if (!(error instanceof HostError)) {
      log.error({ err: error, route: scope }, 'replication of a route failed; it is tried again');
      return OWN_FAILURE_MS;
    }
    const failures = (this.#failures.get(scope) ?? 0) + 1;
    this.#failures.set(scope, failures);
    if (isLocal(error)) {
      if (error.kind === 'system') this.#systemErrors.set(scope, (this.#systemErrors.get(scope) ?? 0) + 1);
      const facts = { route: scope, sqlstate: error.sqlstate, reason: error.message, file: error.file, failures };
      log.warn(facts, 'rows of a route cannot be written now: they are in use, or the host refused a statement');
      if (reachedLimit(error)) gate.checkHost();
    } else gate.trip(error);
    // Delayed in any case: a route that fails on its own must not be the first on a host that has come back.
    return this.#delayMs(failures);
  }

  #delayMs(failures: number): number {
    return routeDelayMs(failures, this.#options.random());
  }
}
