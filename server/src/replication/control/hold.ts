import type { Queryable } from '../../db/types.ts';
import { Interval } from '../../runtime/interval.ts';
import type { Log } from '../../runtime/log.ts';
import * as sql from './hold-sql.ts';
import { HostError, type Host } from '../../host/host.ts';
import { readRecords, selectRows } from '../../host/files/statements.ts';

/** A time in which nothing is written to the host. Drivers notice nothing but a receipt that waits. */
export interface Hold {
  readonly id: string;
  /** `host`: PODCTLP says so, and only the host can end it. */
  readonly source: 'operator' | 'host';
  readonly from: Date;
  /** Undefined: until somebody ends it. */
  readonly until: Date | undefined;
  readonly reason: string;
  readonly by: string;
  readonly inForce: boolean;
}

/** Holds that are in force or still to come, the earliest first. */
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
 * The operators' switch, or a window of the maintenance calendar.
 * @returns undefined where it would be over already: whoever mistook the day would believe that nothing is written
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
  /** Called when a hold begins, and with undefined when the last one ends. */
  readonly onChange: (hold: Hold | undefined) => void;
  readonly everyMs: number;
}

/**
 * Looks now and then whether the host's switch (PODCTLP) is on, and whether an operator or the calendar says to wait. A
 * host that cannot be asked changes nothing: what it last said holds, and nothing can be written to it anyway.
 */
export class HoldWatch {
  readonly #options: HoldWatchOptions;
  #current: Hold | undefined;
  readonly #polls: Interval;
  /** What the host's switch says that it cannot mean. */
  #strange: string | undefined;

  constructor(options: HoldWatchOptions) {
    const { everyMs, log } = options;
    this.#options = options;
    this.#polls = new Interval({
      work: () => this.#poll(),
      everyMs,
      onError: (err) =>
        log.warn({ err }, 'whether replication is on hold could not be asked: as before, until the next look'),
    });
  }

  /** The hold that is in force, of several the earliest. */
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
    await this.#askHost();
    const hold = (await listHolds(db)).find(({ inForce }) => inForce);
    const before = this.#current;
    this.#current = hold;
    if (hold?.id === before?.id) return;
    if (hold) log.warn({ source: hold.source, reason: hold.reason, by: hold.by }, 'replication is on hold');
    else log.info({}, 'replication goes on after a hold');
    onChange(hold);
  }

  async #askHost(): Promise<void> {
    const { db, host } = this.#options;
    try {
      const rows = await host.query(selectRows(host, 'PODCTLP', []).sql);
      const switches = readRecords('PODCTLP', rows);
      const on = switches.find(({ CTHOLD }) => CTHOLD.toUpperCase() === 'Y');
      this.#tellStrange(switches.find(({ CTHOLD }) => !['', 'N', 'Y'].includes(CTHOLD.toUpperCase()))?.CTHOLD);
      if (on) await db.query(sql.noteHostHold, [on.CTRSN, on.CTUSR]);
      else await db.query(sql.dropHostHold);
    } catch (error) {
      // Away, or without that file: the breaker and the paused files tell a person.
      if (!(error instanceof HostError)) throw error;
    }
  }

  /** Once for each value: somebody means to hold, and nothing is held. */
  #tellStrange(value: string | undefined): void {
    if (value !== undefined && value !== this.#strange)
      this.#options.log.warn({ value }, 'CTHOLD of PODCTLP is neither Y nor N: replication is not on hold');
    this.#strange = value;
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
