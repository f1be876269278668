import { fields, text } from '../reading.ts';
import type { Durability, Row, Store, StoreChange, Table } from '../store.ts';
import type { OpenSql, SqlConnection } from './connection.ts';
import type { Statement } from './sql.ts';
import { createRows, deletePrefix, deleteRow, pragmas, putRow, selectRows, takeLock } from './sql.ts';

/**
 * A store in an SQLite database, for Node, React Native and wherever else there is one. Every commit is forced to the
 * disk, whatever durability was asked for: SQLite has no other order between two of them.
 *
 * @throws what the platform throws where another process has the database open, or it cannot be written
 */
export async function openSqlite(open: OpenSql): Promise<Store> {
  const store = new SqliteStore(open);
  await store.readAll('setting');
  return store;
}

const isRow = fields({ key: text, value: text });

class SqliteStore implements Store {
  readonly #open: OpenSql;
  #connection: Promise<SqlConnection> | undefined;
  /** Writes one after the other: an asynchronous driver would let them into each other's transactions. */
  #last: Promise<void> = Promise.resolve();

  constructor(open: OpenSql) {
    this.#open = open;
  }

  async readAll(table: Table): Promise<Row[]> {
    await this.#last;
    const connection = await this.#connect();
    const rows = (await connection.all(selectRows, [table])).filter(isRow);
    // SQLite sorts by UTF-8, which places what lies beyond the first plane elsewhere.
    return rows
      .map(({ key, value }): Row => ({ key, value: JSON.parse(value) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  write(changes: readonly StoreChange[], _durability: Durability): Promise<void> {
    const written = this.#writeAfter(this.#last, changes);
    // A failure is told to those who asked for it, not to the next ones.
    this.#last = written.catch(() => {});
    return written;
  }

  async #writeAfter(before: Promise<void>, changes: readonly StoreChange[]): Promise<void> {
    await before;
    const connection = await this.#connect();
    await connection.batch(changes.map(statementOf));
  }

  async close(): Promise<void> {
    await this.#last;
    const connection = await this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }

  #connect(): Promise<SqlConnection> {
    this.#connection ??= connect(this.#open).catch((error: unknown) => {
      this.#connection = undefined;
      throw error;
    });
    return this.#connection;
  }
}

async function connect(open: OpenSql): Promise<SqlConnection> {
  const connection = await open();
  try {
    for (const sql of [...pragmas, createRows, ...takeLock]) await connection.exec(sql);
    return connection;
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function statementOf(change: StoreChange): Statement {
  if ('put' in change) return putRow(change.put, change.key, JSON.stringify(change.value));
  if ('delete' in change) return deleteRow(change.delete, change.key);
  return deletePrefix(change.deleteAll, change.prefix);
}
