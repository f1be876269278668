import type { Durability, Row, Store, StoreChange, Table } from '@tailgate/client-sdk';
import { MemoryStore } from '@tailgate/client-sdk';

/** A storage with a quota: it refuses writes above the quota as browsers do. Deleting is always possible. */
export class SmallDisk implements Store {
  readonly #rows: Store;
  readonly #sizes = new Map<string, number>();
  /** The quota of the rows in bytes; may change at any time. */
  quota: number;
  /** Writes that were refused. */
  refused = 0;

  constructor(quota = Infinity, rows: Store = new MemoryStore()) {
    this.quota = quota;
    this.#rows = rows;
  }

  /** The current size of the rows in bytes. */
  get used(): number {
    return total(this.#sizes);
  }

  /** Nothing more fits from now on. */
  fill(): void {
    this.quota = 0;
  }

  readAll(table: Table): Promise<Row[]> {
    return this.#rows.readAll(table);
  }

  async write(changes: readonly StoreChange[], durability: Durability): Promise<void> {
    const sizes = new Map(this.#sizes);
    for (const change of changes) apply(sizes, change);
    if (changes.some((change) => 'put' in change) && total(sizes) > this.quota) {
      this.refused++;
      throw new DOMException('', 'QuotaExceededError');
    }
    await this.#rows.write(changes, durability);
    this.#sizes.clear();
    for (const [key, size] of sizes) this.#sizes.set(key, size);
  }

  close(): Promise<void> {
    return this.#rows.close();
  }
}

function apply(sizes: Map<string, number>, change: StoreChange): void {
  if ('put' in change) sizes.set(`${change.put}/${change.key}`, JSON.stringify(change.value).length);
  else if ('delete' in change) sizes.delete(`${change.delete}/${change.key}`);
  else for (const key of sizes.keys()) if (key.startsWith(`${change.deleteAll}/${change.prefix}`)) sizes.delete(key);
}

const total = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((sum, size) => sum + size, 0);
