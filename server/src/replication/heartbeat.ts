import type { Queryable } from '../db/types.ts';
import type { Log } from '../log.ts';
import * as sql from './heartbeat-sql.ts';

const BEAT_MS = 5_000;
/** Three beats may be late before anybody worries. */
const SILENT_AFTER_S = 20;

export interface HeartbeatOptions {
  readonly db: Queryable;
  /** Names this worker among all: a UUID. */
  readonly worker: string;
  readonly log: Log;
  readonly beatMs?: number;
}

/**
 * Says in the database that a process replicates, so that nodes without a worker can tell (contract §7). It beats only
 * while replication runs: a process whose host was never reached is no worker yet.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Resolves after the first beat. */
  async start(): Promise<void> {
    await this.#beat();
    const { beatMs = BEAT_MS } = this.#options;
    this.#timer = setInterval(() => {
      this.#beating = this.#beat();
    }, beatMs);
  }

  /** A worker that stops is missed at once. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#beating;
    const { db, worker, log } = this.#options;
    await db
      .query(sql.fallSilent, [worker])
      .catch((err: unknown) => log.warn({ err }, 'a worker could not say that it stops'));
  }

  async #beat(): Promise<void> {
    const { db, worker, log } = this.#options;
    await db
      .query(sql.beat, [worker])
      .catch((err: unknown) => log.warn({ err }, 'a worker could not say that it is alive; it tries again'));
  }
}

/** @throws Error where no worker, on whatever node, has been heard of lately */
export async function findLiveWorker(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ alive: number }>(sql.countAlive, [SILENT_AFTER_S]);
  if (!rows[0]?.alive) throw new Error(`no worker has been heard of for ${SILENT_AFTER_S} s`);
}
