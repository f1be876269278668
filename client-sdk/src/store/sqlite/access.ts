import type { OpenSql, SqlConnection } from './connection.ts';
import type { SqlValue, Statement } from './sql.ts';
import { pragmas, probe, takeLock } from './sql.ts';

/** An SQLite database: opened on first use, and again after `close` or where the platform has closed it. */
export class SqlAccess {
  readonly #open: OpenSql;
  readonly #schema: readonly string[];
  #connection: Promise<SqlConnection> | undefined;
  /** Writes run one after the other: an asynchronous driver would mix them into each other's transactions. */
  #last: Promise<void> = Promise.resolve();

  /** @param schema statements that create missing tables */
  constructor(open: OpenSql, schema: readonly string[]) {
    this.#open = open;
    this.#schema = schema;
  }

  /** Reads the result of all earlier writes. */
  async read(sql: string, parameters: readonly SqlValue[]): Promise<readonly unknown[]> {
    await this.#last;
    return this.#onOpenConnection((connection) => connection.all(sql, parameters));
  }

  /** Runs all statements in one transaction, or none; on the disk when it resolves. */
  write(statements: readonly Statement[]): Promise<void> {
    const written = this.#writeAfter(this.#last, statements);
    // A failure rejects its own caller only, not the next ones.
    this.#last = written.catch(() => {});
    return written;
  }

  async close(): Promise<void> {
    await this.#last;
    const connection = await this.#connection;
    this.#connection = undefined;
    await connection?.close().catch(async (error: unknown) => {
      if (await isOpen(connection)) throw error;
    });
  }

  async #writeAfter(before: Promise<void>, statements: readonly Statement[]): Promise<void> {
    await before;
    await this.#onOpenConnection((connection) => connection.batch(statements));
  }

  /**
   * Platforms close databases of background apps; a new connection works as well (field case 19). The work runs again,
   * because it may not have been committed: each statement must be repeatable.
   */
  async #onOpenConnection<Value>(work: (connection: SqlConnection) => Promise<Value>): Promise<Value> {
    const opened = this.#connect();
    const connection = await opened;
    try {
      return await work(connection);
    } catch (error) {
      if (await isOpen(connection)) throw error;
      // Another call may have found it closed before. The old connection may still have the lock.
      if (this.#connection === opened) this.#connection = undefined;
      await connection.close().catch(() => {});
      return work(await this.#connect());
    }
  }

  #connect(): Promise<SqlConnection> {
    this.#connection ??= this.#openWithSchema().catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }

  async #openWithSchema(): Promise<SqlConnection> {
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

/** Drivers report a closed database in different words, so this runs a query instead. */
const isOpen = (connection: SqlConnection): Promise<boolean> =>
  connection.all(probe, []).then(
    () => true,
    () => false,
  );
