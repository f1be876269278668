import { randomUUID } from 'node:crypto';
import type { RouteKey } from '@tailgate/sync-protocol';
import type { PgBoss } from 'pg-boss';
import type { Config } from '../config.ts';
import type { Listener } from '../db/listen.ts';
import type { Db } from '../db/types.ts';
import { loadDemo } from '../demo/load.ts';
import type { Log } from '../runtime/log.ts';
import type { Pipeline } from '../mutations/change.ts';
import { HostError, type Host } from '../host/host.ts';
import { DriftCheck } from './from-host/drift-check.ts';
import { openHost } from '../host/connection/open.ts';
import { HostExaminer, onExaminationAsked, saveUnreachable } from './control/host-examiner.ts';
import { HostPolling } from './from-host/host-polling.ts';
import { claimFacilities } from './from-host/facility-claims.ts';
import { Handshake } from './to-host/handshake.ts';
import { Heartbeat } from './control/heartbeat.ts';
import { LagSamples } from './to-host/lag-samples.ts';
import { LogRetention } from './to-host/log-retention.ts';
import { HostImport } from './from-host/import.ts';
import { judgeRoutes } from './from-host/judge-routes.ts';
import { ChangesByMode } from '../host/reads/changes-by-mode.ts';
import { Doorbell } from '../host/reads/doorbell.ts';
import { CurrentModes, hasLive, isAllLive, modeChanges, modeOf, writeModes } from '../modes/modes.ts';
import { Leases } from './to-host/lease.ts';
import { readOnlyUnless } from './control/read-only.ts';
import { Reconciler } from './to-host/counts/reconciler.ts';
import type { HostWatch } from './control/watch.ts';
import { ReplicationWorker, type WorkerOptions, type HostStatus } from './to-host/worker.ts';
import { UnreadDoorbell } from './from-host/unread-doorbell.ts';
import { reasonOf, StartError } from '../runtime/start-error.ts';
import { GiveWay } from '../runtime/give-way.ts';
import { startSweep } from '../runtime/interval.ts';

export interface HostSideOptions {
  config: Config;
  db: Db;
  store?: WorkerOptions['store'];
  databaseUrl: string;
  listener: Pick<Listener, 'hold' | 'onNotify'>;
  boss: Pick<PgBoss, 'work' | 'offWork'>;
  pipeline: Pick<Pipeline, 'submit' | 'isBusy' | 'whenCalm'>;
  log: Log;
  clock: () => Date;
  watch?: HostWatch | undefined;
  /** The database was restored to an earlier state a moment ago. */
  isRestored: boolean;
  /** Aborts when a stop of the server is requested, also during `start`. */
  stopping: AbortSignal;
}

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 30_000;

/**
 * Runs the import and the replication. It retries a host that is away at start until it answers. The server's start waits
 * neither for such a host nor for the routes of a slow one (I14), except in a demo, after a restore, and where a facility leaves
 * its shadow.
 */
export class HostSide {
  readonly #options: HostSideOptions;
  readonly #closers: (() => Promise<void>)[] = [];
  #host: Host | undefined;
  #import: HostImport | undefined;
  #worker: ReplicationWorker | undefined;
  #examiner: HostExaminer | undefined;
  #retry: NodeJS.Timeout | undefined;
  /** Why the last attempt did not reach the host; blank after one that did. */
  #awayReason = '';
  #opening: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  /** Also ends the import of a start, which `stop` waits for. */
  readonly #stopping: AbortSignal;

  constructor(options: HostSideOptions) {
    this.#options = options;
    this.#stopping = AbortSignal.any([options.stopping, this.#stop.signal]);
  }

  /**
   * Resolves when everything runs, while the import takes its first snapshot, or when the host turns out to be away.
   * @throws StartError for a wrong setting @throws the reason of `stopping`
   */
  async start(): Promise<void> {
    const { config, db, listener, databaseUrl } = this.#options;
    const { facilities, legacyLibrary: library, legacyUrl: host = databaseUrl } = config;
    await claimFacilities({ db, listener, facilities, host, library });
    await onExaminationAsked(this.#options.listener, () => void this.#examiner?.run());
    this.#opening = this.#open(FIRST_RETRY_MS, 'start');
    await this.#opening;
  }

  /** For readiness. */
  async ping(): Promise<unknown> {
    if (!this.#host) throw new Error('the host has not been reached since the start');
    return this.#host.ping();
  }

  /** The worker's view of the host; undefined while no worker has started. */
  get status(): HostStatus | undefined {
    return this.#worker?.status;
  }

  /** Imports what the host has changed until now. @returns false where changes are left, or the host is away */
  async importNow(): Promise<boolean> {
    return (await this.#import?.importNow()) ?? false;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#retry);
    await this.#opening.catch(() => undefined);
    await this.#close();
  }

  /** Closes all that runs, also after a part fails to close. */
  async #close(): Promise<void> {
    this.#host = this.#import = this.#worker = this.#examiner = undefined;
    for (let close = this.#closers.pop(); close; close = this.#closers.pop())
      await close().catch((err: unknown) => this.#options.log.error({ err }, 'the host side was not closed cleanly'));
  }

  /** Tries again after a failure, whatever it is: a setting that is wrong later may be a library in its restore. */
  async #open(retryMs: number, attempt: 'start' | 'retry'): Promise<void> {
    const { config, db, databaseUrl, log } = this.#options;
    try {
      const host = await openHost(config, databaseUrl, log);
      this.#closers.push(() => host.close());
      this.#host = host;
      const modes = new CurrentModes(db);
      await this.#run(
        readOnlyUnless(host, () => hasLive(modes.current)),
        modes,
      );
      if (this.#awayReason !== '') log.info({}, 'the host answers');
      this.#awayReason = '';
    } catch (error) {
      await this.#close();
      if (this.#stopping.aborted && attempt === 'retry') return;
      this.#stopping.throwIfAborted();
      if (error instanceof HostError) await this.#saveUnreachable(error);
      if (attempt === 'start' && !isPassing(error)) throw refusalOf(error);
      this.#logAway(error, retryMs);
      if (!this.#stopping.aborted) this.#retry = setTimeout(() => this.#retryOpen(retryMs), retryMs);
    }
  }

  /** For the office, once for each reason. The database may be away, too: the log has the reason in any case. */
  async #saveUnreachable(error: HostError): Promise<void> {
    const { db, clock, log } = this.#options;
    if (error.message === this.#awayReason) return;
    await saveUnreachable(db, error, clock()).catch((err: unknown) =>
      log.warn({ err }, 'the examination of the host could not be saved'),
    );
  }

  /** Once for each reason: a host may be away for a night. */
  #logAway(err: unknown, retryMs: number): void {
    const { log } = this.#options;
    const reason = reasonOf(err);
    if (reason === this.#awayReason) log.debug({ err, retryMs }, 'the host is still away');
    else if (isPassing(err)) log.warn({ err, retryMs }, 'the host is away; the server goes on and tries again');
    else log.error({ err, retryMs }, 'replication cannot start; the server goes on and tries again');
    this.#awayReason = reason;
  }

  #retryOpen(retryMs: number): void {
    this.#opening = this.#open(Math.min(2 * retryMs, LONGEST_RETRY_MS), 'retry');
  }

  async #run(host: Host, modes: CurrentModes): Promise<void> {
    const { config, db, store, boss, pipeline, log, clock, watch, isRestored } = this.#options;
    // An owner of its own: the worker treats the import's leases as another worker's and polls until they are free.
    const leases = new Leases({ db, owner: randomUUID() });
    this.#closers.push(() => leases.close());
    const { importFrom, facilities, importRoutesPerMinute: routesPerMinute } = config;
    const polling = new HostPolling({ db, host, clock, importFrom, modes });
    const hostImport = new HostImport({
      db,
      host,
      leases,
      submit: (change) => pipeline.submit(change),
      clock,
      log,
      pollSeconds: config.hostPollSeconds,
      importFrom,
      facilities,
      routesPerMinute,
      modes,
      stopping: this.#stopping,
      changes:
        config.hostChanges === 'polling'
          ? polling
          : new ChangesByMode(new Doorbell(host), polling, () => isAllLive(modes.current)),
    });
    this.#closers.push(() => hostImport.stop());
    await this.#changeModes(modes, hostImport);
    // Demo routes are complete once loaded, so the first driver need not wait until they are quiet.
    if (config.demo && (await this.#loadDemo())) await hostImport.importNow();
    const snapshot = hostImport.start();
    this.#import = hostImport;
    // The demo announces its routes. And phones send again what a restored database lacks, also of routes that are later
    // than the backup.
    if (config.demo || isRestored) await snapshot;
    this.#stopping.throwIfAborted();
    const findDrift = (scope: 'routes' | 'everything') => hostImport.findDrift(scope);
    const driftCheck = new DriftCheck({ findDrift, clock, log, isRestored });
    driftCheck.start();
    // A check may wait for its turn behind the import.
    this.#closers.push(async () => void (await Promise.all([hostImport.stop(), driftCheck.stop()])));
    if (config.hostChanges === 'polling') {
      const unread = new UnreadDoorbell({ host, log });
      const clear = async () => (isAllLive(modes.current) ? unread.clear() : undefined);
      const sweep = startSweep(clear, 'the unread doorbell', log);
      this.#closers.push(() => sweep.stop());
    }
    const id = randomUUID();
    const giveWay = new GiveWay({ pipeline });
    const worker = new ReplicationWorker({
      db,
      store,
      host,
      boss,
      importNow: (edits) => hostImport.importEdits(edits),
      log,
      clock,
      random: Math.random,
      owner: id,
      watch,
      giveWay: () => giveWay.turn(),
    });
    // Before the start: where that fails, pg-boss must not keep half of the worker.
    this.#closers.push(() => worker.stop());
    await worker.start();
    this.#worker = worker;
    const settings = {
      changes: config.hostChanges,
      hostLogDays: config.hostLogDays,
      live: hasLive(config.legacyModes),
    };
    const examiner = new HostExaminer({ db, host, settings, clock, log });
    examiner.start();
    this.#examiner = examiner;
    this.#closers.push(() => examiner.stop());
    const mayWrite = () =>
      hasLive(modes.current) && worker.status.hold === undefined && worker.status.breaker.state === 'closed';
    const reconciler = new Reconciler({ db, host, leases, mayWrite, clock, log });
    reconciler.start();
    this.#closers.push(() => reconciler.stop());
    const { hostLogDays: days } = config;
    const logRetention =
      days === undefined ? undefined : new LogRetention({ host, leases, mayWrite, days, clock, log });
    logRetention?.start();
    this.#closers.push(async () => logRetention?.stop());
    const quietHold = () => (reconciler.isBusy || logRetention?.isBusy ? undefined : worker.quietHold);
    const hostStatus = () => ({ ...worker.status, quietHold: quietHold() });
    const heartbeat = new Heartbeat({ db, worker: id, hostStatus, log });
    this.#closers.push(() => heartbeat.stop());
    await heartbeat.start();
    // PODCTLP has one row: of several cells with this library none can state that all are quiet.
    const isLive = () => hasLive(modes.current) && host.map.cellDoorbell === undefined;
    const handshake = new Handshake({ db, host, leases, isLive, hostStatus: () => worker.status, clock, log });
    handshake.start();
    this.#closers.push(() => handshake.stop());
    const samples = new LagSamples({ db, hostStatus: () => worker.status, log });
    this.#closers.push(() => samples.stop());
    await samples.start();
  }

  /**
   * Puts LEGACY_MODE in force before the first write. A facility that leaves its shadow is compared once more,
   * each route of it: what the other system has written until now is the known state of the host, and no edit of the office.
   */
  async #changeModes(modes: CurrentModes, hostImport: HostImport): Promise<void> {
    const { config, db, clock, log } = this.#options;
    const before = await modes.refresh();
    const changes = modeChanges(before, config.legacyModes);
    if (changes.length === 0) return;
    const isDue = ({ facility }: RouteKey) =>
      modeOf(before, facility) === 'shadow' && modeOf(config.legacyModes, facility) !== 'shadow';
    const isLeft = changes.some(({ from }) => from === 'shadow');
    if (isLeft) await judgeRoutes(hostImport, { isDue, stopping: this.#stopping, log });
    await writeModes(db, config.legacyModes, clock());
    await modes.refresh();
    log.warn({ changes }, 'LEGACY_MODE: facilities have another mode from now on');
  }

  /** Connects under another program name than the service, so that its rows reach the doorbell like any dispatch. */
  async #loadDemo(): Promise<boolean> {
    const { config, databaseUrl, log, clock } = this.#options;
    const dispatch = await openHost(config, databaseUrl, log, 'DEMO');
    try {
      return await loadDemo(dispatch, clock());
    } finally {
      await dispatch.close();
    }
  }
}

const isPassing = (error: unknown): boolean => error instanceof HostError && error.kind === 'passing';

const refusalOf = (error: unknown): unknown =>
  error instanceof HostError ? new StartError(`the host cannot be used: ${error.message}`, { cause: error }) : error;
