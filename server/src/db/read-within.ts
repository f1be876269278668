import { sqlStateOf } from './sqlstate.ts';
import { statement } from './statement.ts';
import { withTransaction } from './transaction.ts';
import type { Db, Tx } from './types.ts';

const limitStatements = statement('limit_statements', `select set_config('statement_timeout', $1, true)`);
const cancelled = '57014';

/** Reads with a time limit in ms for each statement. @returns undefined where the limit has ended one */
export async function readWithin<Result>(
  db: Db,
  ms: number,
  read: (tx: Tx) => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await withTransaction(db, async (tx) => {
      await tx.query(limitStatements, [String(ms)]);
      return read(tx);
    });
  } catch (error) {
    if (sqlStateOf(error) === cancelled) return undefined;
    throw error;
  }
}
