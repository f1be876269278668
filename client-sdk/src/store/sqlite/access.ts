import type { OpenSql, SqlConnection } from './connection.ts';
import type { SqlValue, Statement } from './sql.ts';
import { pragmas, probe, takeLock } from './sql.ts';

/** An SQLite database: opened when it is first used, and again after `close` or where the platform has closed it. */
export class SqlAccess {
  readonly #open: OpenSql;
  readonly #schema: readonly string[];
  #connection: Promise<SqlConnection> | undefined;
  /** Writes one after the other: an asynchronous driver would let them into each other's transactions. */
  #last: Promise<void> = Promise.resolve();

  /** @param schema statements that make what is missing */
  constructor(open: OpenSql, schema: readonly string[]) {
    this.#open = open;
    this.#schema = schema;
  }

  /** Sees all that was written before. */
  async read(sql: string, parameters: readonly SqlValue[]): Promise<readonly unknown[]> {
    await this.#last;
    return this.#onLiving((connection) => connection.all(sql, parameters));
  }

  /** All of the statements in one transaction, or none; on the disk when it resolves. */
  write(statements: readonly Statement[]): Promise<void> {
    const written = this.#writeAfter(this.#last, statements);
    // A failure is told to those who asked for it, not to the next ones.
    this.#last = written.catch(() => {});
    return written;
  }

  async close(): Promise<void> {
    await this.#last;
    const connection = await this.#connection;
    this.#connection = undefined;
    await connection?.close().catch(async (error: unknown) => {
      if (await lives(connection)) throw error;
    });
  }

  async #writeAfter(before: Promise<void>, statements: readonly Statement[]): Promise<void> {
    await before;
    await this.#onLiving((connection) => connection.batch(statements));
  }

  /**
   * Platforms close databases of apps in the background; the next connection is as good (field case 19). What was on its
   * way is asked for again, for it may not have been committed: each of our statements may be done twice.
   */
  async #onLiving<Value>(work: (connection: SqlConnection) => Promise<Value>): Promise<Value> {
    const opened = this.#connect();
    const connection = await opened;
    try {
      return await work(connection);
    } catch (error) {
      if (await lives(connection)) throw error;
      // Somebody else may have found it dead before us. What is left of it may hold the lock.
      if (this.#connection === opened) this.#connection = undefined;
      await connection.close().catch(() => {});
      return work(await this.#connect());
    }
  }

  #connect(): Promise<SqlConnection> {
    this.#connection ??= this.#openWhole().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #openWhole(): Promise<SqlConnection> {
    const connection = await this.#open();
    try {
      for (const sql of [...pragmas, ...this.#schema, ...takeLock]) await connection.exec(sql);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }
}

/** Each driver has its own words for a database that is closed, and none has them for nothing else. */
const lives = (connection: SqlConnection): Promise<boolean> =>
  connection.all(probe, []).then(
    () => true,
    () => false,
  );
