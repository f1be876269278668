import { hostMoment } from '../../host/files/local-time.ts';
import { deleteLogLines, oldestLogLines } from '../../host/reads/log-lines.ts';
import { HostError, needsSetup, type Host } from '../../host/host.ts';
import { Interval } from '../../runtime/interval.ts';
import type { Log } from '../../runtime/log.ts';
import type { Leases } from './lease.ts';

export interface LogRetentionOptions {
  readonly host: Host;
  readonly leases: Pick<Leases, 'acquire' | 'release'>;
  /** Whether the host may be written to now: no hold, no outage. */
  readonly mayWrite: () => boolean;
  /** RETAIN_HOST_LOG_DAYS */
  readonly days: number;
  readonly clock: () => Date;
  readonly log: Log;
  readonly everyMs?: number;
}

const EVERY_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Lines a transaction: it locks them for some milliseconds. */
const LINES = 500;

/**
 * Deletes old lines of PODRPLP, a few at a time, the lowest number first. It reads along the access path of the number up to
 * the first line that is young enough, so that a run without work costs one short read. One worker does it at a time.
 */
export class LogRetention {
  readonly #options: LogRetentionOptions;
  readonly #runs: Interval;
  #isBusy = false;
  #isReported = false;

  constructor(options: LogRetentionOptions) {
    const { everyMs = EVERY_MS, log } = options;
    this.#options = options;
    this.#runs = new Interval({
      work: () => this.sweep(),
      everyMs,
      onError: (err) => log.warn({ err }, 'old lines of PODRPLP could not be deleted; the next run tries again'),
    });
  }

  start(): void {
    this.#runs.start();
    void this.#runs.run();
  }

  stop(): Promise<void> {
    return this.#runs.stop();
  }

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** @throws HostError where the host is away */
  async sweep(): Promise<void> {
    const { leases, mayWrite, log } = this.#options;
    if (!mayWrite()) return;
    const lease = await leases.acquire({ facility: '', week_end: '', id: 'PODRPLP' });
    if (!lease) return;
    this.#isBusy = true;
    try {
      while (mayWrite() && (await this.#deleteSome()));
      this.#isReported = false;
    } catch (error) {
      if (!(error instanceof HostError) || !needsSetup(error)) throw error;
      if (!this.#isReported)
        log.warn({ err: error }, 'old lines of PODRPLP stay: run the additions to the library and its grants');
      this.#isReported = true;
    } finally {
      this.#isBusy = false;
      await leases.release(lease);
    }
  }

  /** @returns whether more lines may be due */
  async #deleteSome(): Promise<boolean> {
    const { host, clock, days } = this.#options;
    const before = hostMoment(new Date(clock().getTime() - days * DAY_MS), 'UTC').date;
    const lines = await oldestLogLines(host, LINES);
    const old = lines.filter(({ day }) => Number(day) < Number(before)).map(({ trace }) => trace);
    if (old.length === 0) return false;
    await deleteLogLines(host, old, before);
    return lines.length === LINES;
  }
}
