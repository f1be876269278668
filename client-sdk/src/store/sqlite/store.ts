import { fields, text } from '../../platform/reading.ts';
import type { Durability, Row, Store, StoreChange, Table } from '../store.ts';
import { SqlAccess } from './access.ts';
import type { OpenSql } from './connection.ts';
import type { Statement } from './sql.ts';
import { createRows, deletePrefix, deleteRow, putRow, selectRows } from './sql.ts';

/**
 * A store in an SQLite database, for Node, React Native and other platforms. It forces every commit to the disk, also
 * with `relaxed` durability: SQLite guarantees the order of commits in no other way.
 *
 * @throws the platform's error where another process has the database open, or it is not writable
 */
export async function openSqlite(open: OpenSql): Promise<Store> {
  const store = new SqliteStore(open);
  await store.readAll('setting');
  return store;
}

const isRow = fields({ key: text, value: text });

class SqliteStore implements Store {
  readonly #access: SqlAccess;

  constructor(open: OpenSql) {
    this.#access = new SqlAccess(open, [createRows]);
  }

  async readAll(table: Table): Promise<Row[]> {
    const rows = (await this.#access.read(selectRows, [table])).filter(isRow);
    // SQLite sorts by UTF-8, which orders characters beyond the first plane differently.
    return rows
      .map(({ key, value }): Row => ({ key, value: JSON.parse(value) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async write(changes: readonly StoreChange[], _durability: Durability): Promise<void> {
    await this.#access.write(changes.map(statementOf));
  }

  close(): Promise<void> {
    return this.#access.close();
  }
}

function statementOf(change: StoreChange): Statement {
  if ('put' in change) return putRow(change.put, change.key, JSON.stringify(change.value));
  if ('delete' in change) return deleteRow(change.delete, change.key);
  return deletePrefix(change.deleteAll, change.prefix);
}
