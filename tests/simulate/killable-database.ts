import type { QueryResult, QueryResultRow } from 'pg';
import type { Connection, Db, Statement } from '../../server/src/db/types.ts';
import type { Quiescence } from './quiescence.ts';

/**
 * The moment at which a process is killed: just before or just after its n-th statement or its n-th commit from now on.
 * Most violations come from faults around a commit.
 */
export interface KillPoint {
  readonly count: number;
  readonly of: 'statements' | 'commits';
  readonly moment: 'before' | 'after';
}

/** Turns of the event loop until a frame that was sent has left the process. */
const LAST_TURNS = 3;

/**
 * The database as one process reaches it. The process may be killed at each of its statements. From then on it gets no
 * answer, and PostgreSQL rolls back its open transactions.
 */
export class KillableDatabase implements Db {
  readonly #db: Db;
  readonly #quiescence: Quiescence;
  readonly #onKill: () => void;
  readonly #open = new Set<Connection>();
  #isKilled = false;
  /** New statements are not sent any more. Of statements sent together, PostgreSQL gets only the first ones. */
  #isEnding = false;
  #killPoint: (Omit<KillPoint, 'count'> & { remaining: number }) | undefined;

  constructor(db: Db, quiescence: Quiescence, onKill: () => void) {
    this.#db = db;
    this.#quiescence = quiescence;
    this.#onKill = onKill;
  }

  /** Killed, or about to be. */
  get isKilled(): boolean {
    return this.#isEnding || this.#isKilled;
  }

  setKillPoint({ count, of, moment }: KillPoint): void {
    this.#killPoint = { remaining: count, of, moment };
  }

  clearKillPoint(): void {
    this.#killPoint = undefined;
  }

  /** As by `kill -9`: PostgreSQL rolls back the open transactions, and the process sends nothing more. */
  kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    for (const connection of this.#open) void this.#quiescence.during(this.#rollBack(connection));
    this.#onKill();
  }

  query<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<QueryResult<Row>> {
    return this.#countDown(statement, () => this.#db.query<Row>(statement, values));
  }

  async connect(): Promise<Connection> {
    const connection = await this.#whileAlive(() => this.#db.connect());
    if (this.#isKilled) {
      connection.release();
      throw killed();
    }
    this.#open.add(connection);
    return {
      query: (statement, values) => this.#countDown(statement, () => connection.query(statement, values)),
      release: (destroy) => {
        // The rollback of an open connection happens at the kill, before anything else continues.
        if (this.#isEnding && destroy !== undefined) return;
        if (this.#open.delete(connection)) connection.release(destroy);
      },
    };
  }

  async #countDown<Value>(statement: Statement, work: () => Promise<Value>): Promise<Value> {
    const killPoint = this.#killPoint;
    const isCounted = killPoint !== undefined && (killPoint.of === 'statements' || statement === 'commit');
    if (!isCounted || killPoint.remaining-- !== 0) return this.#whileAlive(work);
    const answer = killPoint.moment === 'after' ? this.#whileAlive(work) : undefined;
    this.#isEnding = true;
    await answer?.catch(() => undefined);
    // Frames that the process sent before its end are on their way.
    for (let turns = 0; turns < LAST_TURNS; turns++) await this.#quiescence.during(new Promise(setImmediate));
    this.kill();
    throw killed();
  }

  async #whileAlive<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.isKilled) throw killed();
    const answer = await this.#quiescence.during(work());
    if (this.#isKilled) throw killed();
    return answer;
  }

  async #rollBack(connection: Connection): Promise<void> {
    this.#open.delete(connection);
    const error = await connection.query('rollback').then(
      () => undefined,
      (reason: unknown) => reason,
    );
    connection.release(error !== undefined);
  }
}

const killed = (): Error => new Error('this process was killed');
