import type { Log } from '../../runtime/log.ts';
import { answer, closedBreaker, fail, type Breaker } from './breaker.ts';
import { HostError, onFile, type Host } from '../../host/host.ts';
import { touchNothing } from '../../host/files/statements.ts';
import type { HostFileName } from '../../host/files/tables.ts';

export interface HostGateOptions {
  readonly host: Host;
  readonly log: Log;
  readonly clock: () => Date;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly pauseMs: number;
  /** Called when work may go on: the host answers again. */
  readonly onOpen: () => void;
  /** Called once for each file that is paused: somebody has to correct it. */
  readonly onPaused: (pause: PausedFile) => void;
  /** Called when that has been done. */
  readonly onResumed: (file: HostFileName) => void;
}

/** A file of the host that is not set up for us: missing, of another layout, or no authority. */
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
 * Whether the host may be written to, for all who write: one breaker for the host as a whole, a pause for each file that
 * is not set up for us. What needs a paused file is put aside, everything else goes on.
 */
export class HostGate {
  readonly #options: HostGateOptions;
  readonly #pauses = new Map<HostFileName, Pause>();
  readonly #asking = new Set<Promise<unknown>>();
  #breaker: Breaker = closedBreaker;
  #stopping = false;
  #held = false;
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

  /** The worker ends: nothing more is begun. */
  get isStopping(): boolean {
    return this.#stopping;
  }

  /** Somebody wants nothing more to be written: the worker ends, or replication is on hold. */
  get isHalted(): boolean {
    return this.#stopping || this.#held;
  }

  /** On hold, or not any more. */
  hold(held: boolean): void {
    const ends = this.#held && !held;
    this.#held = held;
    if (ends) this.#options.onOpen();
  }

  get paused(): PausedFile[] {
    return [...this.#pauses.values()].map(({ file, reason, since }) => ({ file, reason, since }));
  }

  /** Why nothing may be written to this file now; undefined where it may. */
  pauseOf(file: HostFileName): HostError | undefined {
    return this.#pauses.get(file)?.error;
  }

  /** The host has taken a write: that it answers is no longer a hope. */
  confirmed(): void {
    if (this.#breaker.failures > 0) this.#breaker = closedBreaker;
  }

  /** This file is not set up for us. It is asked now and then whether somebody has put it right. */
  pause(file: HostFileName, error: HostError): void {
    if (this.#pauses.has(file)) return;
    const { clock, log, onPaused } = this.#options;
    const pause = { file, reason: `${error.sqlstate} ${error.message}`, since: clock() };
    this.#pauses.set(file, { ...pause, error, next: this.#lookLater(file) });
    log.error(pause, 'a file of the host is not set up for us: what needs it waits until somebody corrects it');
    onPaused(pause);
  }

  /** The host as a whole is away, or refuses us altogether. */
  trip(error: HostError): void {
    const { log, clock, random } = this.#options;
    if (this.#breaker.state === 'open' && !this.#probing) return;
    const setup = error.kind === 'setup';
    const open = fail(this.#breaker, { at: clock(), reason: `${error.sqlstate} ${error.message}`, setup }, random());
    this.#breaker = open;
    const { failures, waitMs } = open;
    const facts = { sqlstate: error.sqlstate, reason: error.message, failures, waitMs };
    if (setup) log.error(facts, 'the host is not set up for us: replication is paused until somebody corrects it');
    else if (failures === 1) log.warn(facts, 'the host does not answer: replication waits for it');
    clearTimeout(this.#probe);
    if (!this.#stopping) this.#probe = setTimeout(() => this.#ask(this.#askHost()), waitMs);
  }

  /** A statement on a file reached its limit: that is local, unless the host as a whole is stuck. One ping decides. */
  doubt(): void {
    if (this.isOpen && !this.#probing) this.#ask(this.#askWhether());
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#probe);
    for (const { next } of this.#pauses.values()) clearTimeout(next);
    await Promise.all(this.#asking);
  }

  #ask(question: Promise<unknown>): void {
    const asking = question.finally(() => this.#asking.delete(asking));
    this.#asking.add(asking);
  }

  async #askHost(): Promise<void> {
    if (!(await this.#askWhether())) return;
    this.#breaker = answer(this.#breaker);
    this.#options.log.info({}, 'the host answers again');
    this.#options.onOpen();
  }

  /** Whether the host answers; where it does not, the breaker opens. */
  async #askWhether(): Promise<boolean> {
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

  #lookLater(file: HostFileName): NodeJS.Timeout {
    return setTimeout(() => this.#ask(this.#askFile(file)), this.#options.pauseMs);
  }

  async #askFile(file: HostFileName): Promise<void> {
    const { host, log, onResumed } = this.#options;
    try {
      await host.transaction((tx) => onFile(file, tx.execute(touchNothing(host, file))));
      this.#pauses.delete(file);
      log.info({ file }, 'a file of the host takes our rows again');
      onResumed(file);
    } catch {
      // Still not, or the host is away: either way it is asked again.
      const pause = this.#pauses.get(file);
      if (pause && !this.#stopping) this.#pauses.set(file, { ...pause, next: this.#lookLater(file) });
    }
  }
}
