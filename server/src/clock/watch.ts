import type { Db } from '../db/types.ts';
import { Interval } from '../runtime/interval.ts';
import type { Log } from '../runtime/log.ts';
import { CLOCK_TOLERANCE_MS, type ServerClock } from './server-clock.ts';
import { reportIncident } from '../incidents/sql.ts';
import * as sql from './sql.ts';

const CHECK_MS = 10_000;
/** Stamps from the future stay there for long: an occasional check is enough. */
const CHECKS_A_COUNT = 60;

export interface ClockWatchOptions {
  readonly clock: ServerClock;
  readonly db: Db;
  readonly log: Log;
}

interface Disagreement {
  readonly about: 'wall_clock' | 'database_clock' | 'stamps';
  readonly sentence: string;
  readonly details: object;
}

/** Compares the server's time with the database's clock and with stored stamps, and reports each disagreement once. */
export class ClockWatch {
  readonly #options: ClockWatchOptions;
  readonly #interval: Interval;
  #checks = 0;
  #current: readonly Disagreement[] = [];
  #stamps: readonly Disagreement[] = [];

  constructor(options: ClockWatchOptions) {
    this.#options = options;
    this.#interval = new Interval({
      work: () => this.check(),
      everyMs: CHECK_MS,
      onError: (err) => options.log.warn({ err }, 'the clocks cannot be compared; tried again'),
    });
  }

  /** Takes the database's time where this machine's clock differs from it: all nodes share that one. */
  async start(): Promise<void> {
    const { clock, db } = this.#options;
    const database = await readTime(db);
    if (Math.abs(database - clock.now().getTime()) > CLOCK_TOLERANCE_MS) clock.set(database);
    await this.check();
    this.#interval.start();
  }

  async stop(): Promise<void> {
    await this.#interval.stop();
  }

  /** A sentence for each clock that disagrees, for readiness. */
  get remarks(): readonly string[] {
    return this.#current.map(({ sentence }) => sentence);
  }

  async check(): Promise<void> {
    const { clock, db, log } = this.#options;
    const database = await readTime(db);
    if (this.#checks++ % CHECKS_A_COUNT === 0) this.#stamps = await this.#countStamps();
    const found = [...wallClock(clock), ...databaseClock(clock, database), ...this.#stamps];
    for (const one of found) {
      if (this.#current.some(({ about }) => about === one.about)) continue;
      log.error(one.details, one.sentence);
      await db.query(reportIncident, ['server_clock', JSON.stringify({ about: one.about, ...one.details })]);
    }
    for (const { about } of this.#current)
      if (!found.some((one) => one.about === about)) log.info({ about }, 'the clocks agree again');
    this.#current = found;
  }

  async #countStamps(): Promise<Disagreement[]> {
    const { clock, db } = this.#options;
    const limit = new Date(clock.now().getTime() + CLOCK_TOLERANCE_MS);
    const { rows } = await db.query<{ routes: number }>(sql.countStampsAfter, [limit]);
    const { routes = 0 } = rows[0] ?? {};
    if (routes === 0) return [];
    const sentence = `stamps from the future beat later edits (routes: ${routes}): set the clock right, then npm run ops -- heal-clock --yes`;
    return [{ about: 'stamps', sentence, details: { routes } }];
  }
}

function wallClock({ jump }: ServerClock): Disagreement[] {
  if (!jump) return [];
  const { aheadMs, since } = jump;
  const sentence = `the clock of this machine jumped ${spanOf(aheadMs)}: the server keeps its own time until it is set right; if the new time is right, restart the server`;
  return [{ about: 'wall_clock', sentence, details: { ahead_ms: aheadMs, since } }];
}

function databaseClock(clock: ServerClock, database: number): Disagreement[] {
  const aheadMs = Math.round(database - clock.now().getTime());
  // On one machine both are the same clock, whose jump is reported already.
  if (Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS || clock.jump) return [];
  const sentence = `the clock of PostgreSQL is ${spanOf(aheadMs)}, by the server's time: set both by NTP`;
  return [{ about: 'database_clock', sentence, details: { ahead_ms: aheadMs } }];
}

/** In the words of people: `2 days ahead`. */
function spanOf(aheadMs: number): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const [count, unit] =
    seconds >= 172_800
      ? [seconds / 86_400, 'days']
      : seconds >= 7_200
        ? [seconds / 3_600, 'hours']
        : seconds >= 120
          ? [seconds / 60, 'minutes']
          : [seconds, 'seconds'];
  return `${Math.round(count)} ${unit} ${aheadMs > 0 ? 'ahead' : 'behind'}`;
}

async function readTime(db: Db): Promise<number> {
  const { rows } = await db.query<{ at: Date }>(sql.readDatabaseTime);
  return rows[0]?.at.getTime() ?? Number.NaN;
}
