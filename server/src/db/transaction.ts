import type { Connection, Db, Tx } from './types.ts';

/**
 * Runs `work` between `begin` and `commit` and returns what it returned, after the commit.
 * Where `work` throws, everything is rolled back and its error passed on. Where the connection breaks during `commit`
 * the outcome is unknown: callers must be able to do the same work again (the ledger's keys see to that).
 */
export async function withTransaction<Result>(
  db: Db,
  work: (tx: Tx) => Promise<Result>,
  begin: Begin = 'as usual',
): Promise<Result> {
  const connection = await db.connect();
  let broken: Error | undefined;
  try {
    await connection.query(beginText(connection, begin));
    const result = await work(asTx(connection));
    const { command } = await connection.query('commit');
    // PostgreSQL answers a commit of a failed transaction with ROLLBACK and no error: somebody swallowed one.
    if (command !== 'COMMIT') throw new Error('nothing was saved: an error inside the transaction was not passed on');
    return result;
  } catch (error) {
    broken = await rollBack(connection);
    throw error;
  } finally {
    connection.release(broken);
  }
}

/**
 * How a transaction begins. Left alone, PostgreSQL plans a named statement anew whenever the plan for these very values
 * promises to be cheaper, which it does for each short array: a change of one stop then spends more on plans than on
 * rows. `planned once` sets this aside, for the transaction and not for the session, which a pooler may lend to somebody
 * else. But a plan made while a table was empty reads it from end to end however it grows: so the plans are made again
 * at a connection's 2nd, 4th, 8th… transaction, which for a million of them is twenty times.
 */
type Begin = 'as usual' | 'planned once';

function beginText(connection: Connection, begin: Begin): string {
  if (begin === 'as usual') return 'begin';
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
