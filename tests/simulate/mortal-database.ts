import type { QueryResult, QueryResultRow } from 'pg';
import type { Connection, Db, Statement } from '../../server/src/db/types.ts';
import type { Stillness } from './stillness.ts';

/**
 * When a process dies: with its n-th statement from now on, or its n-th commit, just before it or just after it. Of the
 * moments in which a process can die, those around a commit are the ones that promises are broken in.
 */
export interface Fuse {
  readonly count: number;
  readonly of: 'statements' | 'commits';
  readonly moment: 'before' | 'after';
}

/** Turns of the event loop until a frame that was sent has left the process. */
const LAST_TURNS = 3;

/**
 * The database as one process has it. The process may be killed at each of its statements; from then on it gets no
 * answer any more, and PostgreSQL rolls back what it had begun.
 */
export class MortalDatabase implements Db {
  readonly #db: Db;
  readonly #stillness: Stillness;
  readonly #onDeath: () => void;
  readonly #open = new Set<Connection>();
  #isDead = false;
  /** What it says from now on is not sent any more: of statements that travel together, PostgreSQL gets the first ones. */
  #isDying = false;
  #fuse: (Omit<Fuse, 'count'> & { left: number }) | undefined;

  constructor(db: Db, stillness: Stillness, onDeath: () => void) {
    this.#db = db;
    this.#stillness = stillness;
    this.#onDeath = onDeath;
  }

  /** Or about to be. */
  get isDead(): boolean {
    return this.#isDying || this.#isDead;
  }

  light({ count, of, moment }: Fuse): void {
    this.#fuse = { left: count, of, moment };
  }

  extinguish(): void {
    this.#fuse = undefined;
  }

  /** As `kill -9` does it: what is open is rolled back by PostgreSQL, nothing more is asked. */
  die(): void {
    if (this.#isDead) return;
    this.#isDead = true;
    for (const connection of this.#open) void this.#stillness.during(this.#rollBack(connection));
    this.#onDeath();
  }

  query<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<QueryResult<Row>> {
    return this.#burning(statement, () => this.#db.query<Row>(statement, values));
  }

  async connect(): Promise<Connection> {
    const connection = await this.#whileAlive(() => this.#db.connect());
    if (this.#isDead) {
      connection.release();
      throw killed();
    }
    this.#open.add(connection);
    return {
      query: (statement, values) => this.#burning(statement, () => connection.query(statement, values)),
      release: (destroy) => {
        // What could not be rolled back any more is, when it dies: before anything else goes on.
        if (this.#isDying && destroy !== undefined) return;
        if (this.#open.delete(connection)) connection.release(destroy);
      },
    };
  }

  async #burning<Value>(statement: Statement, work: () => Promise<Value>): Promise<Value> {
    const fuse = this.#fuse;
    const burns = fuse !== undefined && (fuse.of === 'statements' || statement === 'commit');
    if (!burns || fuse.left-- !== 0) return this.#whileAlive(work);
    const answer = fuse.moment === 'after' ? this.#whileAlive(work) : undefined;
    this.#isDying = true;
    await answer?.catch(() => undefined);
    // What it has said before it dies is on its way.
    for (let turns = 0; turns < LAST_TURNS; turns++) await this.#stillness.during(new Promise(setImmediate));
    this.die();
    throw killed();
  }

  async #whileAlive<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.isDead) throw killed();
    const answer = await this.#stillness.during(work());
    if (this.#isDead) throw killed();
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
