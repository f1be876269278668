import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss';
import type { Queryable } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import { deleteOwed } from './owed-sql.ts';

/** The outcome of one attempt to send a queued mail or text message. */
export type DeliveryOutcome = 'sent' | 'deferred' | 'given_up';

/** Dependencies of the mail and SMS workers. */
export interface DeliveryDeps {
  readonly boss: Pick<PgBoss, 'work' | 'offWork'>;
  readonly clock: () => Date;
  readonly log: Log;
  /** Receives the outcome of each attempt. */
  readonly watch?: (outcome: DeliveryOutcome) => void;
}

/** Settings of a queue for messages to people: attempts over half a day, with growing pauses. */
export const deliveryQueue = {
  policy: 'standard',
  notify: true,
  retryLimit: 20,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 3_600,
} as const;

/** Concurrent deliveries, so that one slow server delays few others. */
const BATCH_SIZE = 5;

/**
 * Works on such a queue. Each job has a result of its own. A delivery is owed until it is completed or given up.
 *
 * @param pollSeconds between two polls: pg-boss announces a new job, but not a retry
 * @returns a function that stops the work after the current deliveries
 */
export async function workDeliveries<Job extends object>(
  { boss, db, log }: Pick<DeliveryDeps, 'boss' | 'log'> & { readonly db: Queryable },
  queue: string,
  pollSeconds: number,
  deliver: (job: JobWithMetadata<Job>) => Promise<JobResult>,
): Promise<() => Promise<void>> {
  const options = {
    batchSize: BATCH_SIZE,
    burstWhenBatchFull: true,
    perJobResults: true,
    includeMetadata: true,
    pollingIntervalSeconds: pollSeconds,
    notifyPollingIntervalSeconds: pollSeconds,
  } as const;
  const one = async (job: JobWithMetadata<Job>): Promise<JobResult> => {
    const result = await deliver(job);
    // A message that is sent is not sent again for this row: the sweep finds the finished job, and deletes it.
    if (result.status === 'completed' || job.retryCount >= job.retryLimit)
      await db
        .query(deleteOwed, [job.id])
        .catch((err: unknown) => log.warn({ err, queue, job: job.id }, 'a finished delivery is still noted as owed'));
    return result;
  };
  const all = (jobs: JobWithMetadata<Job>[]) => Promise.all(jobs.map(one));
  const id = await boss.work<Job, object, typeof options>(queue, options, all);
  return () => boss.offWork(queue, { id, wait: true });
}
