import type { PgBoss } from 'pg-boss';
import type { Queryable } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import { deleteOwed, listOwed, type Owed } from './owed-sql.ts';

/** A job that commits beside its row is there by then. */
const OWED_MINUTES = 2;
const PAGE = 500;

interface OwedRow {
  readonly id: string;
  readonly queue: string;
  readonly data: string;
  readonly at: string;
}

export interface OwedDeps {
  readonly db: Queryable;
  readonly boss: Pick<PgBoss, 'insert' | 'getJobById'>;
  readonly log: Log;
}

/**
 * Queues mails and text messages again whose jobs are lost: the tables of the queue may be on another machine, and a crash
 * between the two commits keeps the row alone. A job that waits stays as it is; the row of a finished one is deleted. The
 * new job has the id of the lost one, so that several nodes may sweep at once.
 *
 * @param minutes rows that are younger are left
 */
export async function requeueLost({ db, boss, log }: OwedDeps, minutes = OWED_MINUTES): Promise<void> {
  let last: OwedRow | undefined;
  do {
    const { rows } = await db.query<OwedRow>(listOwed, [minutes, last?.at, last?.id, PAGE]);
    for (const row of rows) await settle({ db, boss, log }, row);
    last = rows.length === PAGE ? rows.at(-1) : undefined;
  } while (last !== undefined);
}

async function settle({ db, boss, log }: OwedDeps, { id, queue, data }: OwedRow): Promise<void> {
  const job = await boss.getJobById(queue, id);
  if (job === null) {
    await boss.insert(queue, [{ id, data: objectIn(data) }]);
    log.warn({ queue, job: id }, 'a delivery had no job, and is queued again');
  } else if (finished.has(job.state)) await db.query(deleteOwed, [id]);
}

const finished: ReadonlySet<string> = new Set(['completed', 'cancelled', 'failed']);

function objectIn(text: string): Owed['data'] {
  const data: unknown = JSON.parse(text);
  if (typeof data !== 'object' || data === null) throw new TypeError('an owed delivery has no data');
  return data;
}
