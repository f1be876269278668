import type { QueryResult, QueryResultRow } from 'pg';
import type { Connection, Db, Statement } from '../../server/src/db/types.ts';
import type { Stillness } from './stillness.ts';

/**
 * The moment at which a process dies: just before or just after its n-th statement or its n-th commit from now on.
 * Faults around a commit are the ones that break promises.
 */
export interface Fuse {
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
export class MortalDatabase implements Db {
  readonly #db: Db;
  readonly #stillness: Stillness;
  readonly #onDeath: () => void;
  readonly #open = new Set<Connection>();
  #isDead = false;
  /** New statements are not sent any more. Of statements that travel together, PostgreSQL gets only the first ones. */
  #isDying = false;
  #fuse: (Omit<Fuse, 'count'> & { left: number }) | undefined;

  constructor(db: Db, stillness: Stillness, onDeath: () => void) {
    this.#db = db;
    this.#stillness = stillness;
    this.#onDeath = onDeath;
  }

  /** Dead or dying. */
  get isDead(): boolean {
    return this.#isDying || this.#isDead;
  }

  light({ count, of, moment }: Fuse): void {
    this.#fuse = { left: count, of, moment };
  }

  extinguish(): void {
    this.#fuse = undefined;
  }

  /** As by `kill -9`: PostgreSQL rolls back the open transactions, and the process sends nothing more. */
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
        // The rollback of an open connection happens at death, before anything else continues.
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
    // Frames that the process sent before it dies are on their way.
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
