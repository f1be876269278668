/**
 * Where the SDK keeps what must outlive the app: rows under text keys, in a few tables. Values are JSON. Everything
 * that the SDK reads, it reads once when it opens; afterwards it only writes. So an adapter is small (IndexedDB, SQLite,
 * memory), and a wrapper that encrypts can do its work before a transaction opens.
 */
export interface Store {
  /** Every row of a table, in the order of keys (UTF-16 code units). */
  readAll(table: Table): Promise<Row[]>;
  /**
   * All of the changes, in order, or none. Resolves when they are committed; with `strict` durability only when the
   * platform says that they are on the disk. Rejects where nothing was written; the same changes may be tried again.
   */
  write(changes: readonly StoreChange[], durability: Durability): Promise<void>;
  close(): Promise<void>;
  /** The platform has thrown away what was here since this store was last open: what was not sent is lost. */
  readonly evicted?: boolean;
}

/** Every table; an adapter makes them when it opens. */
export const tables = ['setting', 'account', 'queue', 'item', 'scope', 'document'] as const;
/** The name of a table. */
export type Table = (typeof tables)[number];

/** A stored value and its key. */
export interface Row {
  readonly key: string;
  readonly value: unknown;
}

/** One step of a write; the steps of a write happen together or not at all. */
export type StoreChange =
  | { readonly put: Table; readonly key: string; readonly value: unknown }
  | { readonly delete: Table; readonly key: string }
  /** Deletes every row whose key begins so. */
  | { readonly deleteAll: Table; readonly prefix: string };

/** `strict`: on the disk before it resolves. `relaxed`: for what can be fetched again. */
export type Durability = 'strict' | 'relaxed';
