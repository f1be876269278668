import type { QueryResult, QueryResultRow } from 'pg';
import type { Connection, Db, Statement, Tx } from './types.ts';

/**
 * Runs `work` between `begin` and `commit`, and returns its result after the commit. If `work` throws, everything is
 * rolled back and the error is thrown. If the connection breaks during `commit` the outcome is unknown: callers must be
 * able to repeat the work (the ledger's keys allow that).
 */
export async function withTransaction<Result>(db: Db, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  return onConnection(db, async (connection) => {
    await connection.query('begin');
    const result = await work(asTx(connection));
    committed(await connection.query('commit'));
    return result;
  });
}

/** Running statements. `sent` resolves once the connection has all of them; later statements run after them. */
export interface Sent<Result> {
  readonly sent: Promise<unknown>;
  readonly result: Promise<Result>;
}

/**
 * The same in two round trips on a pipelined connection: `begin` is sent with the statements of `load`, the commit with
 * those of `save`. If PostgreSQL refuses one, it refuses all that follow, the commit included. If only reading an
 * answer fails, the transaction commits, as after a lost answer to a commit. `load` must change nothing: it may run
 * although `begin` has failed.
 */
export async function inTwoTrips<Loaded, Result>(
  db: Db,
  load: (tx: Tx) => Promise<Loaded>,
  save: (tx: Tx, loaded: Loaded) => Sent<Result>,
): Promise<Result> {
  return onConnection(db, async (connection) => {
    const tx = asTx(connection);
    const begun = connection.query(db.plans === 'auto' ? 'begin' : beginPlannedOnce(connection));
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

/** Runs `send`, which sends one statement at some time, or as many as `count`. */
export function sending(tx: Tx, send: (tx: Tx) => Promise<void>, count = 1): Sent<void> {
  let left = count;
  const { promise: sent, resolve, reject } = Promise.withResolvers<void>();
  const result = send({
    ...tx,
    query<Row extends QueryResultRow>(statement: Statement, values?: unknown[]) {
      const answer = tx.query<Row>(statement, values);
      left -= 1;
      if (left === 0) resolve();
      return answer;
    },
  });
  result.then(resolve, reject);
  return { sent, result };
}

export async function onConnection<Result>(db: Db, work: (connection: Connection) => Promise<Result>): Promise<Result> {
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

/** Both end before the failure of one is thrown, so that the pool gets no connection with a running statement. */
async function both<A, B>(a: Promise<A>, b: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([a, b]);
  return [await a, await b];
}

/** PostgreSQL answers the commit of a failed transaction with ROLLBACK and no error: the work has hidden one. */
export function committed({ command }: QueryResult): void {
  if (command !== 'COMMIT') throw new Error('nothing was saved: an error inside the transaction was not passed on');
}

/**
 * PostgreSQL plans a named statement again whenever a plan for the given values promises to be cheaper, which it does
 * for each short array. A change of one stop then costs more for plans than for rows. The setting applies to the
 * transaction, not the session, which a pooler may lend to another client. A plan made while a table was empty reads
 * the whole table later. So the plans are discarded at a connection's 1st, 2nd, 4th, 8th… transaction, which is twenty
 * times in a million.
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

/** A connection that cannot roll back is closed, and PostgreSQL rolls back then. */
async function rollBack(connection: Connection): Promise<Error | undefined> {
  try {
    await connection.query('rollback');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error('rollback failed', { cause: error });
  }
}
