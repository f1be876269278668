import type { Queryable } from './types.ts';

/** A count within its window, and the time until that window ends. */
export interface Counted {
  readonly count: number;
  readonly endsInMs: number;
}

/**
 * Counters in time windows, shared by all nodes. They are in an unlogged table: a count writes no log, and a crash of
 * PostgreSQL resets them. A window begins with its first count.
 */
export class SharedCounters {
  readonly #db: Queryable;
  readonly #now: () => Date;

  constructor(db: Queryable, now: () => Date) {
    this.#db = db;
    this.#now = now;
  }

  /** Adds one, in a new window if the last one is over. */
  async count(key: string, windowMs: number): Promise<Counted> {
    const now = this.#now();
    const values = [key, now, new Date(now.getTime() + windowMs)];
    const { rows } = await this.#db.query<Window>(countEvent, values);
    return counted(rows[0], now);
  }

  /** Reads without counting. */
  async read(key: string): Promise<Counted> {
    const now = this.#now();
    const { rows } = await this.#db.query<Window>(readWindow, [key, now]);
    return counted(rows[0], now);
  }

  /** Drops windows that are over. */
  async sweep(): Promise<void> {
    await this.#db.query(dropWindows, [this.#now()]);
  }
}

interface Window extends Record<string, unknown> {
  readonly count: number;
  readonly ends_at: Date;
}

const counted = (window: Window | undefined, now: Date): Counted =>
  window ? { count: window.count, endsInMs: Math.max(0, window.ends_at.getTime() - now.getTime()) } : nothing;
const nothing: Counted = { count: 0, endsInMs: 0 };

/** $1 key, $2 now, $3 end of a window that begins now. */
const countEvent = {
  name: 'db_count_event',
  text: `insert into event_window as w (key, count, ends_at) values ($1, 1, $3)
         on conflict (key) do update
            set count = case when w.ends_at > $2 then w.count + 1 else 1 end,
                ends_at = case when w.ends_at > $2 then w.ends_at else excluded.ends_at end
         returning count, ends_at`,
};

/** $1 key, $2 now. */
const readWindow = {
  name: 'db_read_window',
  text: 'select count, ends_at from event_window where key = $1 and ends_at > $2',
};

/** $1 now. */
const dropWindows = { name: 'db_drop_windows', text: 'delete from event_window where ends_at <= $1' };
