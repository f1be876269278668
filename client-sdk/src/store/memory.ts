import type { Durability, Row, Store, StoreChange, Table } from './store.ts';
import { tables } from './store.ts';

/**
 * A store in memory, for tests and for platforms without storage. Rows are stored as text, so that a read never returns
 * the written object.
 */
export class MemoryStore implements Store {
  readonly #tables = new Map<Table, Map<string, string>>(tables.map((table) => [table, new Map()]));

  async readAll(table: Table): Promise<Row[]> {
    const rows = [...this.#rows(table)].map(([key, text]): Row => ({ key, value: JSON.parse(text) }));
    return rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  async write(changes: readonly StoreChange[], _durability: Durability): Promise<void> {
    // Texts first: a value that is no JSON leaves no partial write.
    const texts = changes.map((change) => ('put' in change ? JSON.stringify(change.value) : ''));
    for (const [i, change] of changes.entries()) this.#apply(change, texts[i]!);
  }

  async close(): Promise<void> {
    // The rows stay: the same object opened again acts as the same device after a restart.
  }

  #apply(change: StoreChange, text: string): void {
    if ('put' in change) this.#rows(change.put).set(change.key, text);
    else if ('delete' in change) this.#rows(change.delete).delete(change.key);
    else {
      const rows = this.#rows(change.deleteAll);
      for (const key of rows.keys()) if (key.startsWith(change.prefix)) rows.delete(key);
    }
  }

  #rows(table: Table): Map<string, string> {
    const rows = this.#tables.get(table);
    if (!rows) throw new Error(`no table ${table}`);
    return rows;
  }
}
