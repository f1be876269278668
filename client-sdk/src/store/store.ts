/**
 * Durable storage of the SDK: rows under text keys, in a few tables. Values are JSON. The SDK reads everything once
 * when it opens, and only writes afterwards. So an adapter is small (IndexedDB, SQLite, memory), and an encrypting
 * wrapper can work before a transaction opens.
 */
export interface Store {
  /** Every row of a table, in the order of keys (UTF-16 code units). */
  readAll(table: Table): Promise<Row[]>;
  /**
   * Writes all changes, in order, or none. Resolves when they are committed; with `strict` durability only when the
   * platform reports them on the disk. Rejects where no change was written; the same changes may be tried again.
   */
  write(changes: readonly StoreChange[], durability: Durability): Promise<void>;
  close(): Promise<void>;
  /** The platform has evicted the store's data since the last opening: unsent changes are lost. */
  readonly evicted?: boolean;
}

/** Every table; an adapter creates them when it opens. */
export const tables = ['setting', 'account', 'queue', 'item', 'scope', 'document'] as const;
/** The name of a table. */
export type Table = (typeof tables)[number];

/** A stored value and its key. */
export interface Row {
  readonly key: string;
  readonly value: unknown;
}

/** The key of a setting that marks an encrypted store; its value distinguishes a wrong key from a damaged row. */
export const probeKey = 'encryption';

/** One step of a write; a write is atomic. */
export type StoreChange =
  | { readonly put: Table; readonly key: string; readonly value: unknown }
  | { readonly delete: Table; readonly key: string }
  /** Deletes every row whose key has this prefix. */
  | { readonly deleteAll: Table; readonly prefix: string };

/** `strict`: on the disk before it resolves. `relaxed`: for data that can be fetched again. */
export type Durability = 'strict' | 'relaxed';
