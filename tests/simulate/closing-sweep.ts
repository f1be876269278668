import type { QueryResult, QueryResultRow } from 'pg';
import type { Queryable, Statement } from '../../server/src/db/types.ts';
import { startClosing, type ClosingOptions } from '../../server/src/mutations/jobs/closing-timers.ts';

/** The sweep runs once when it starts, and by the scheduler of the world only. */
const NEVER_MS = 2 ** 31 - 1;

/** Alarms of pg-boss follow the real time, so worlds close due routes by the sweep alone. */
const noAlarms: ClosingOptions['boss'] = { work: async () => 'no alarms', offWork: async () => undefined };

/** A server closes the route of its world if that is due. Other worlds with another time use the same database. */
export async function sweepDueRoute(
  { db, ...deps }: Omit<ClosingOptions, 'boss' | 'sweepMs'>,
  route: string,
): Promise<void> {
  const ofWorld: Queryable = {
    async query<Row extends QueryResultRow>(statement: Statement, values?: unknown[]): Promise<QueryResult<Row>> {
      const result = await db.query<Row>(statement, values);
      return { ...result, rows: result.rows.filter(({ id }) => id === route) };
    },
  };
  const timers = await startClosing({ ...deps, db: ofWorld, boss: noAlarms, sweepMs: NEVER_MS });
  await timers.stop();
}
