import type { HelloFrame, PingFrame } from '@tailgate/sync-protocol';
import { textArray } from '../db/arrays.ts';
import type { Queryable } from '../db/types.ts';
import type { Log } from '../runtime/log.ts';
import { saveGauges } from './sql.ts';

/** Facts that only the hello contains; each ping repeats the others. */
type Facts = Partial<Pick<HelloFrame, 'device' | 'sdk' | 'app'>>;
interface Report extends Facts, Pick<PingFrame, 'pending' | 'oldest_pending_at'> {
  readonly seenAt: Date;
  /** The time at which a session sent the run of the clock to which the queue is tied. */
  readonly clockReadAt?: Date;
}

/** The largest value of `client.pending`. */
const MOST_PENDING = 2_147_483_647;

/**
 * The pending items of phones, from hello and ping. It buffers the latest report of each queue, and the sweep calls
 * `save` once a minute. A lost report is harmless, so nothing waits for it.
 */
export class DeviceStatus {
  readonly #db: Queryable;
  readonly #log: Log;
  #reports = new Map<string, Report>();

  constructor(db: Queryable, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  note(clientId: string, report: Report): void {
    this.#reports.set(clientId, { ...this.#reports.get(clientId), ...report });
  }

  async save(): Promise<void> {
    if (this.#reports.size === 0) return;
    const reports = [...this.#reports];
    this.#reports = new Map();
    const facts = reports.map(([, report]) => report);
    try {
      await this.#db.query(saveGauges, [
        reports.map(([clientId]) => clientId),
        facts.map(({ pending }) => Math.min(pending, MOST_PENDING)),
        facts.map(({ oldest_pending_at: oldest }) => instantOf(oldest)),
        textArray(facts.map(({ device }) => device ?? null)),
        textArray(facts.map(({ sdk }) => sdk ?? null)),
        textArray(facts.map(({ app }) => app ?? null)),
        facts.map(({ seenAt }) => seenAt),
        facts.map(({ clockReadAt }) => clockReadAt ?? null),
      ]);
    } catch (err) {
      this.#log.debug({ err, clients: reports.length }, 'what the phones hold could not be noted');
    }
  }
}

/** A broken clock sends any text. */
function instantOf(text: string | null): Date | null {
  const at = new Date(text ?? NaN);
  const year = at.getUTCFullYear();
  return year > 0 && year < 10_000 ? at : null;
}
