import type { QueryResult, QueryResultRow } from 'pg';

/** Plain SQL, or SQL with a name: then each connection parses and plans it once and only binds afterwards. */
export type Statement = string | { name: string; text: string };

/** Whatever runs a statement: the pool, or one connection of it inside a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<QueryResult<Row>>;
}

/** One open transaction. Functions that must not run outside of one take a `Tx`, which only transaction.ts gives. */
export interface Tx extends Queryable {
  readonly inTransaction: true;
}

export interface Connection extends Queryable {
  /** `true` or an error: the connection is closed instead of being used again. */
  release(destroy?: Error | boolean): void;
}

/** The database: statements outside of transactions, and connections for transactions. */
export interface Db extends Queryable {
  connect(): Promise<Connection>;
}
