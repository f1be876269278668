import type { QueryResult, QueryResultRow } from 'pg';

/** Plain SQL, or SQL with a name, which each connection parses and plans once. */
export type Statement = string | { name: string; text: string };

/** Runs statements: the pool, or one connection of it inside a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<QueryResult<Row>>;
}

/** One open transaction. Functions that need one take a `Tx`, which only transaction.ts creates. */
export interface Tx extends Queryable {
  readonly inTransaction: true;
}

export interface Connection extends Queryable {
  /** With `true` or an error the pool closes the connection. */
  release(destroy?: Error | boolean): void;
}

/** `once`: generic plans, whatever the values are. `auto`: PostgreSQL chooses; a distributed one needs the values. */
export type Plans = 'once' | 'auto';

/** The database: statements outside of transactions, and connections for transactions. */
export interface Db extends Queryable {
  /** How PostgreSQL plans the statements of a batch; unset: `once`. */
  readonly plans?: Plans;
  connect(): Promise<Connection>;
}
