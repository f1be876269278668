import type { Queryable } from '../../db/types.ts';
import { Interval } from '../../runtime/interval.ts';
import type { Log } from '../../runtime/log.ts';
import * as sql from './hold-sql.ts';
import { HostError, type Host } from '../../host/host.ts';
import { selectColumns } from '../../host/files/statements.ts';

/** A period without writes to the host. Drivers notice it only by receipts that wait. */
export interface Hold {
  readonly id: string;
  /** `host` is the switch in PODCTLP: only the host can end it. */
  readonly source: 'operator' | 'host';
  readonly from: Date;
  /** Undefined: until a user ends it. */
  readonly until: Date | undefined;
  readonly reason: string;
  readonly by: string;
  readonly inForce: boolean;
}

/** Current and planned holds, the earliest first. */
export async function listHolds(db: Queryable): Promise<Hold[]> {
  return (await db.query<HoldRow>(sql.listHolds)).rows.map(holdOf);
}

export interface NewHold {
  /** Undefined: from now on. */
  readonly from: Date | undefined;
  readonly until: Date | undefined;
  readonly reason: string;
  readonly by: string;
}

/**
 * Begins a hold: the operators' switch, or a window of the maintenance calendar. @returns undefined where the hold
 * would be over already, for instance after a mistake in the date
 */
export async function beginHold(db: Queryable, { from, until, reason, by }: NewHold): Promise<Hold | undefined> {
  const { rows } = await db.query<HoldRow>(sql.beginHold, [from ?? null, until ?? null, reason, by]);
  return rows[0] && holdOf(rows[0]);
}

/** @returns undefined where there is no such hold, or where it is the host's own */
export async function endHold(db: Queryable, id: string): Promise<Hold | undefined> {
  const { rows } = await db.query<HoldRow>(sql.endHold, [id]);
  return rows[0] && holdOf(rows[0]);
}

export interface HoldWatchOptions {
  readonly db: Queryable;
  readonly host: Host;
  readonly log: Log;
  /** Called with each new hold, and with undefined when the last one ends. */
  readonly onChange: (hold: Hold | undefined) => void;
  readonly everyMs: number;
}

/**
 * Polls the host's switch (PODCTLP), the operators' switch and the calendar. While the host does not answer, its last
 * known switch stays in force: nothing can be written to it anyway.
 */
export class HoldWatch {
  readonly #options: HoldWatchOptions;
  #current: Hold | undefined;
  readonly #polls: Interval;
  /** The last value of the switch that is neither Y nor N. */
  #unknown: string | undefined;

  constructor(options: HoldWatchOptions) {
    const { everyMs, log } = options;
    this.#options = options;
    this.#polls = new Interval({
      work: () => this.#poll(),
      everyMs,
      onError: (err) =>
        log.warn({ err }, 'the hold of replication could not be read; the last state counts until the next poll'),
    });
  }

  /** The hold in force; of several the earliest. */
  get current(): Hold | undefined {
    return this.#current;
  }

  /** Resolves after the first poll, even where it failed. */
  async start(): Promise<void> {
    await this.#polls.run();
    this.#polls.start();
  }

  async stop(): Promise<void> {
    await this.#polls.stop();
  }

  async #poll(): Promise<void> {
    const { db, log, onChange } = this.#options;
    await this.#readHostSwitch();
    const hold = (await listHolds(db)).find(({ inForce }) => inForce);
    const before = this.#current;
    this.#current = hold;
    if (hold?.id === before?.id) return;
    if (hold) log.warn({ source: hold.source, reason: hold.reason, by: hold.by }, 'replication is on hold');
    else log.info({}, 'replication goes on after a hold');
    onChange(hold);
  }

  async #readHostSwitch(): Promise<void> {
    const { db, host } = this.#options;
    try {
      // Only these: a library of an earlier layout has no others.
      const rows = await host.query(selectColumns(host, 'PODCTLP', ['CTHOLD', 'CTRSN', 'CTUSR'], []));
      const switches = rows.map(({ CTHOLD, CTRSN, CTUSR }) => ({
        CTHOLD: String(CTHOLD),
        CTRSN: String(CTRSN),
        CTUSR: String(CTUSR),
      }));
      const on = switches.find(({ CTHOLD }) => CTHOLD.toUpperCase() === 'Y');
      this.#warnOfUnknown(switches.find(({ CTHOLD }) => !['', 'N', 'Y'].includes(CTHOLD.toUpperCase()))?.CTHOLD);
      if (on) await db.query(sql.recordHostHold, [on.CTRSN, on.CTUSR]);
      else await db.query(sql.deleteHostHold);
    } catch (error) {
      // The host is away, or lacks that file: the breaker and the paused files report it.
      if (!(error instanceof HostError)) throw error;
    }
  }

  /** Logs each value once: the user wanted a hold, and there is none. */
  #warnOfUnknown(value: string | undefined): void {
    if (value !== undefined && value !== this.#unknown)
      this.#options.log.warn({ value }, 'CTHOLD of PODCTLP is neither Y nor N: replication is not on hold');
    this.#unknown = value;
  }
}

type HoldRow = {
  hold_id: string;
  source: Hold['source'];
  starts_at: Date;
  ends_at: Date | null;
  reason: string;
  held_by: string;
  in_force: boolean;
};

function holdOf({ hold_id: id, source, starts_at: from, ends_at, reason, held_by: by, in_force }: HoldRow): Hold {
  return { id, source, from, until: ends_at ?? undefined, reason, by, inForce: in_force };
}
