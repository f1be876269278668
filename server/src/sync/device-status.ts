import type { HelloFrame, PingFrame } from '@tailgate/sync-protocol';
import type { Queryable } from '../db/types.ts';
import type { Log } from '../runtime/log.ts';
import { saveDeviceStatus, type PhoneReport } from './sql.ts';

/** Facts that only the hello contains; each ping repeats the others. */
type Facts = Partial<Pick<HelloFrame, 'device' | 'sdk' | 'app'>>;
interface Report extends Facts, Pick<PingFrame, 'pending' | 'oldest_pending_at' | 'files'> {
  readonly seenAt: Date;
  /** The time at which a session sent the run of the clock to which the queue is tied. */
  readonly clockReadAt?: Date;
}

/** The largest value of `client.pending`. */
const MAX_PENDING = 2_147_483_647;

/**
 * The pending items of phones, from hello and ping. It buffers the latest report of each queue. The sweep calls `save`
 * once a minute, and `saveWork` every few seconds: the office looks for work on phones, and most phones have none. A lost
 * report is harmless, so nothing waits for it.
 */
export class DeviceStatus {
  readonly #db: Queryable;
  readonly #log: Log;
  #reports = new Map<string, Report>();
  /** Queues that had work at their last save of this minute. */
  #working = new Set<string>();

  constructor(db: Queryable, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  note(clientId: string, report: Report): void {
    this.#reports.set(clientId, { ...this.#reports.get(clientId), ...report });
  }

  async save(): Promise<void> {
    const reports = [...this.#reports];
    this.#working.clear();
    await this.#write(reports);
  }

  /** Saves the reports of work, and those of queues that had some. */
  async saveWork(): Promise<void> {
    await this.#write([...this.#reports].filter(([id, report]) => hasWork(report) || this.#working.has(id)));
  }

  async #write(reports: readonly (readonly [string, Report])[]): Promise<void> {
    if (reports.length === 0) return;
    for (const [id, report] of reports) {
      this.#reports.delete(id);
      if (hasWork(report)) this.#working.add(id);
      else this.#working.delete(id);
    }
    try {
      await this.#db.query(saveDeviceStatus, saveDeviceStatus.parameters(reports.map(phoneReport)));
    } catch (err) {
      this.#log.debug({ err, clients: reports.length }, 'the reports of phones could not be saved');
    }
  }
}

const hasWork = ({ pending, files }: Report): boolean => pending > 0 || (files?.count ?? 0) > 0;

const phoneReport = ([clientId, { pending, oldest_pending_at: oldest, files, ...facts }]: readonly [
  string,
  Report,
]): PhoneReport => ({
  ...facts,
  clientId,
  pendingFiles: files && Math.min(files.count, MAX_PENDING),
  pendingBytes: files?.bytes,
  oldestFileAt: files && instantOf(files.oldest_at),
  pending: Math.min(pending, MAX_PENDING),
  oldestPendingAt: instantOf(oldest),
});

/** A broken clock sends any text. */
function instantOf(text: string | null): Date | null {
  const at = new Date(text ?? NaN);
  const year = at.getUTCFullYear();
  return year > 0 && year < 10_000 ? at : null;
}
