import { committed, onConnection } from './transaction.ts';
import type { Db, Statement } from './types.ts';

/**
 * Runs statements in one transaction whose commit does not wait for the disk: a crash of PostgreSQL may lose it. On a
 * pipelined connection that is one round trip.
 * @returns how many rows the last statement returned or changed
 */
export async function withoutFlush(
  db: Db,
  statements: readonly (readonly [statement: Statement, values: unknown[]])[],
): Promise<number> {
  return onConnection(db, async (connection) => {
    const begun = connection.query('begin; set local synchronous_commit = off');
    const results = statements.map(([statement, values]) => connection.query(statement, values));
    const commit = connection.query('commit');
    await Promise.allSettled([begun, ...results, commit]);
    await begun;
    const [last] = (await Promise.all(results)).slice(-1);
    committed(await commit);
    return last?.rowCount ?? 0;
  });
}
