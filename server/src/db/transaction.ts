import type { QueryResult, QueryResultRow } from 'pg';
import type { Connection, Db, Statement, Tx } from './types.ts';

/**
 * Runs `work` between `begin` and `commit` and returns what it returned, after the commit.
 * Where `work` throws, everything is rolled back and its error passed on. Where the connection breaks during `commit`
 * the outcome is unknown: callers must be able to do the same work again (the ledger's keys see to that).
 */
export async function withTransaction<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return onConnection(db, async (connection) => {
    await connection.query('begin');
    const result = await work(asTx(connection));
    committed(await connection.query('commit'));
    return result;
  });
}

/** Statements under way: `sent` once all of them are with the connection, and what comes after runs after them. */
export interface Sent<Result> {
  readonly sent: Promise<unknown>;
  readonly result: Promise<Result>;
}

/**
 * The same in two trips to a PostgreSQL behind a pipelined connection: `begin` goes along with what `load` sends, the
 * commit with what `save` sends. Where one of those is refused, PostgreSQL refuses all that follow, the commit too; where
 * only the reading of their answers fails, the transaction stands, as after a commit whose answer was lost. `load` must
 * change nothing: it may run although `begin` has failed.
 */
export async function inTwoTrips<Loaded, Result>(
  db: Db,
  load: (tx: Tx) => Promise<Loaded>,
  save: (tx: Tx, loaded: Loaded) => Sent<Result>,
): Promise<Result> {
  return onConnection(db, async (connection) => {
    const tx = asTx(connection);
    const begun = connection.query(beginPlannedOnce(connection));
    const [loaded] = await both(load(tx), begun);
    const { sent, result } = save(tx, loaded);
    const [saved, commit] = await both(
      result,
      sent.then(() => connection.query('commit')),
    );
    committed(commit);
    return saved;
  });
}

/** Runs `send`, which sends one statement sooner or later. */
export function sending(tx: Tx, send: (tx: Tx) => Promise<void>): Sent<void> {
  const { promise: sent, resolve, reject } = Promise.withResolvers<void>();
  const result = send({
    ...tx,
    query<Row extends QueryResultRow>(statement: Statement, values?: unknown[]) {
      const answer = tx.query<Row>(statement, values);
      resolve();
      return answer;
    },
  });
  result.then(resolve, reject);
  return { sent, result };
}

async function onConnection<Result>(db: Db, work: (connection: Connection) => Promise<Result>): Promise<Result> {
  const connection = await db.connect();
  let broken: Error | undefined;
  try {
    return await work(connection);
  } catch (error) {
    broken = await rollBack(connection);
    throw error;
  } finally {
    connection.release(broken);
  }
}

/** Both have ended before the failure of one is passed on: nobody is lent a connection on which something of ours runs. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}

/** PostgreSQL answers a commit of a failed transaction with ROLLBACK and no error: somebody swallowed one. */
function committed({ command }: QueryResult): void {
  if (command !== 'COMMIT') throw new Error('nothing was saved: an error inside the transaction was not passed on');
}

/**
 * Left alone, PostgreSQL plans a named statement anew whenever the plan for these very values promises to be cheaper,
 * which it does for each short array: a change of one stop then spends more on plans than on rows. This is set aside for
 * the transaction and not for the session, which a pooler may lend to somebody else. But a plan made while a table was
 * empty reads it from end to end however it grows: so the plans are made again at a connection's 2nd, 4th, 8th…
 * transaction, which for a million of them is twenty times.
 */
function beginPlannedOnce(connection: Connection): string {
  const count = (transactions.get(connection) ?? 0) + 1;
  transactions.set(connection, count);
  return isPowerOfTwo(count) ? `begin; discard plans; ${genericPlans}` : `begin; ${genericPlans}`;
}

const transactions = new WeakMap<Connection, number>();
const genericPlans = 'set local plan_cache_mode = force_generic_plan';
const isPowerOfTwo = (n: number): boolean => Number.isInteger(Math.log2(n));

function asTx(connection: Connection): Tx {
  return { inTransaction: true, query: (statement, values) => connection.query(statement, values) };
}

/** A connection that cannot even roll back goes to nobody else: PostgreSQL rolls back when it closes. */
async function rollBack(connection: Connection): Promise<Error | undefined> {
  try {
    await connection.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error('rollback failed', { cause: error });
  }
}
