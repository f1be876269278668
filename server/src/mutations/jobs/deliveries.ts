import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss';
import type { Log } from '../../runtime/log.ts';

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
 * Works on such a queue. Each job has a result of its own.
 *
 * @param pollSeconds between two polls: pg-boss announces a new job, but not a retry
 * @returns a function that stops the work after the current deliveries
 */
export async function workDeliveries<Job extends object>(
  { boss }: Pick<DeliveryDeps, 'boss'>,
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
  const all = (jobs: JobWithMetadata<Job>[]) => Promise.all(jobs.map((job) => deliver(job)));
  const id = await boss.work<Job, object, typeof options>(queue, options, all);
  return () => boss.offWork(queue, { id, wait: true });
}
