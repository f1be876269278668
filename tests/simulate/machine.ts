import type { Db, Statement } from '../../server/src/db/types.ts';
import { readDatabaseTime } from '../../server/src/clock/sql.ts';
import { ServerClock } from '../../server/src/clock/server-clock.ts';
import { ClockWatch } from '../../server/src/clock/watch.ts';
import type { Log } from '../../server/src/runtime/log.ts';
import type { QueryResult, QueryResultRow } from 'pg';
import type { WorldTime } from './world-time.ts';

/** How far the wall clock of a server is ahead when it starts. */
export const WRONG_CLOCKS_MS = [0, 240_000, -7_200_000, 90_000_000];

/** The machine of a server: its clocks, which operators set wrong, and which stop while it sleeps. */
export class Machine {
  /** How far the wall clock is ahead of the world's time. */
  wallAheadMs = 0;
  #sleptMs = 0;
  readonly #time: WorldTime;

  constructor(time: WorldTime) {
    this.#time = time;
  }

  /** The machine stops for a while. Its monotonic clock does not count that time; phones continue. */
  sleep(ms: number): void {
    this.#time.pass(ms);
    this.#sleptMs += ms;
  }

  /** The clock of a process that starts now. It begins with PostgreSQL's time where its own machine's differs. */
  async startClock(db: Db, log: Log): Promise<() => Date> {
    const time = this.#time;
    const begin = time.now - this.#sleptMs;
    const clock = new ServerClock({
      wall: () => time.now + this.wallAheadMs,
      monotonic: () => time.now - this.#sleptMs - begin,
      uptime: () => time.now - begin,
    });
    const watch = new ClockWatch({ clock, db: inWorldTime(db, time), log });
    await watch.start();
    // The watch compares the clocks by real time. A world compares them when a process starts.
    await watch.stop();
    return clock.now;
  }
}

/** PostgreSQL of a world, whose clock is right. */
function inWorldTime(db: Db, time: WorldTime): Db {
  return {
    connect: () => db.connect(),
    async query<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<QueryResult<Row>> {
      if (statement !== readDatabaseTime) return db.query<Row>(statement, values);
      return db.query<Row>('select $1::timestamptz as at', [new Date(time.now)]);
    },
  };
}
