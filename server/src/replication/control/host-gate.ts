import type { Log } from '../../runtime/log.ts';
import { answer, closedBreaker, fail, type Breaker } from './breaker.ts';
import { HostError, onFile, type Host } from '../../host/host.ts';
import { updateNoRows } from '../../host/files/statements.ts';
import type { HostFileName } from '../../host/files/tables.ts';

export interface HostGateOptions {
  readonly host: Host;
  readonly log: Log;
  readonly clock: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly pauseMs: number;
  /** Called when work may continue: the host answers again. */
  readonly onOpen: () => void;
  /** Called once for each paused file, which a person has to correct. */
  readonly onPaused: (pause: PausedFile) => void;
  /** Called when the file is usable again. */
  readonly onResumed: (file: HostFileName) => void;
}

/** A file of the host that is not set up for the service: missing, of another layout, or without authority. */
export interface PausedFile {
  readonly file: HostFileName;
  readonly reason: string;
  readonly since: Date;
}

interface Pause extends PausedFile {
  readonly error: HostError;
  readonly next: NodeJS.Timeout;
}

/**
 * Decides for all writers whether the host may be written to: one breaker for the host, and one pause for each file
 * that is not set up. Work that needs a paused file is parked; everything else continues.
 */
export class HostGate {
  readonly #options: HostGateOptions;
  readonly #pauses = new Map<HostFileName, Pause>();
  readonly #probes = new Set<Promise<unknown>>();
  #breaker: Breaker = closedBreaker;
  #stopping = false;
  #isOnHold = false;
  #probe: NodeJS.Timeout | undefined;
  #probing = false;

  constructor(options: HostGateOptions) {
    this.#options = options;
  }

  get breaker(): Breaker {
    return this.#breaker;
  }

  get isOpen(): boolean {
    return !this.isHalted && this.#breaker.state === 'closed';
  }

  /** The worker ends: the gate lets nothing new begin. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  /** No new writes: the worker ends, or replication is on hold. */
  get isHalted(): boolean {
    return this.#stopping || this.#isOnHold;
  }

  /** Begins or ends a hold. */
  hold(isOnHold: boolean): void {
    const ends = this.#isOnHold && !isOnHold;
    this.#isOnHold = isOnHold;
    if (ends) this.#options.onOpen();
  }

  get paused(): PausedFile[] {
    return [...this.#pauses.values()].map(({ file, reason, since }) => ({ file, reason, since }));
  }

  /** The reason for not writing to this file now; undefined where writes may continue. */
  pauseOf(file: HostFileName): HostError | undefined {
    return this.#pauses.get(file)?.error;
  }

  /** The host has confirmed a write: the breaker resets its failures. */
  confirmed(): void {
    if (this.#breaker.failures > 0) this.#breaker = closedBreaker;
  }

  /** Pauses a file that is not set up for the service, and probes it until a person has corrected it. */
  pause(file: HostFileName, error: HostError): void {
    if (this.#pauses.has(file)) return;
    const { clock, log, onPaused } = this.#options;
    const pause = { file, reason: `${error.sqlstate} ${error.message}`, since: clock() };
    this.#pauses.set(file, { ...pause, error, next: this.#probeLater(file) });
    log.error(pause, 'a file of the host is not set up for us: its rows wait until an operator corrects it');
    onPaused(pause);
  }

  /** Opens the breaker: the host is away, or refuses the service altogether. */
  trip(error: HostError): void {
    const { log, clock, random } = this.#options;
    if (this.#breaker.state === 'open' && !this.#probing) return;
    const setup = error.kind === 'setup';
    const open = fail(this.#breaker, { at: clock(), reason: `${error.sqlstate} ${error.message}`, setup }, random());
    this.#breaker = open;
    const { failures, waitMs } = open;
    const facts = { sqlstate: error.sqlstate, reason: error.message, failures, waitMs };
    if (setup) log.error(facts, 'the host is not set up for us: replication is paused until an operator corrects it');
    else if (failures === 1) log.warn(facts, 'the host does not answer: replication waits for it');
    clearTimeout(this.#probe);
    if (!this.#stopping) this.#probe = setTimeout(() => this.#track(this.#probeHost()), waitMs);
  }

  /** A statement on a file reached its limit. That is local unless the whole host is stuck: one ping decides. */
  checkHost(): void {
    if (this.isOpen && !this.#probing) this.#track(this.#pingHost());
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#probe);
    for (const { next } of this.#pauses.values()) clearTimeout(next);
    await Promise.all(this.#probes);
  }

  #track(question: Promise<unknown>): void {
    const probes = question.finally(() => this.#probes.delete(probes));
    this.#probes.add(probes);
  }

  async #probeHost(): Promise<void> {
    if (!(await this.#pingHost())) return;
    this.#breaker = answer(this.#breaker);
    this.#options.log.info({}, 'the host answers again');
    this.#options.onOpen();
  }

  /** Pings the host, and opens the breaker where it does not answer. */
  async #pingHost(): Promise<boolean> {
    this.#probing = true;
    try {
      await this.#options.host.ping();
      return true;
    } catch (error) {
      this.trip(error instanceof HostError ? error : new HostError('08001', String(error), { cause: error }));
      return false;
    } finally {
      this.#probing = false;
    }
  }

  #probeLater(file: HostFileName): NodeJS.Timeout {
    return setTimeout(() => this.#track(this.#probeFile(file)), this.#options.pauseMs);
  }

  async #probeFile(file: HostFileName): Promise<void> {
    const { host, log, onResumed } = this.#options;
    try {
      if (this.#isOnHold) throw new HostError('57000', 'replication is on hold: the file is probed afterwards');
      await host.transaction((tx) => onFile(file, tx.execute(updateNoRows(host, file))));
      this.#pauses.delete(file);
      log.info({ file }, 'a file of the host accepts rows of the service again');
      onResumed(file);
    } catch {
      // The file still fails, or the host is away: the next probe comes in either case.
      const pause = this.#pauses.get(file);
      if (pause && !this.#stopping) this.#pauses.set(file, { ...pause, next: this.#probeLater(file) });
    }
  }
}
