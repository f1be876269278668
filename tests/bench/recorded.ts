import type { QueryResult, QueryResultRow } from 'pg';
import type { Connection, Db, Statement } from '../../server/src/db/types.ts';

export interface RecordedQuery {
  readonly statement: Statement;
  readonly values: unknown[] | undefined;
}

/** A database that records the statements of its transactions for a replay by SQL alone. */
export function recordingDb(db: Db): Db & { readonly transactions: RecordedQuery[][] } {
  const transactions: RecordedQuery[][] = [];
  const wrapped = new WeakMap<Connection, Connection>();
  const query = <Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<QueryResult<Row>> =>
    db.query<Row>(statement, values);
  return {
    transactions,
    query,
    async connect(): Promise<Connection> {
      const connection = await db.connect();
      const known = wrapped.get(connection) ?? recording(connection, transactions);
      wrapped.set(connection, known);
      return known;
    },
  };
}

/** Returns the same object for the same connection, so that counts by connection stay correct. */
function recording(connection: Connection, transactions: RecordedQuery[][]): Connection {
  let queries: RecordedQuery[] = [];
  return {
    async query<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<QueryResult<Row>> {
      queries.push({ statement, values });
      const result = await connection.query<Row>(statement, values);
      if (statement === 'commit') {
        transactions.push(queries);
        queries = [];
      }
      return result;
    },
    release: (destroy) => connection.release(destroy),
  };
}
