import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss';
import type { Log } from '../../runtime/log.ts';

/** What came of a try to send a queued mail or text message. */
export type DeliveryOutcome = 'sent' | 'deferred' | 'given_up';

/** What whoever sends mails or text messages stands on. */
export interface DeliveryDeps {
  readonly boss: Pick<PgBoss, 'work' | 'offWork'>;
  readonly clock: () => Date;
  readonly log: Log;
  /** Told what came of each try. */
  readonly watch?: (outcome: DeliveryOutcome) => void;
}

/** A queue of what goes out to people: tried again for half a day, with growing pauses. */
export const deliveryQueue = {
  policy: 'standard',
  notify: true,
  retryLimit: 20,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 3_600,
} as const;

/** On their way at the same time, so that one which gets no answer holds up few. */
const TOGETHER = 5;

/**
 * Works on such a queue; a job's result is the job's own affair.
 *
 * @param lookSeconds between two looks: a new job is announced, one that is tried again is not
 * @returns the way to stop, which ends after those that are on their way
 */
export async function workDeliveries<Job extends object>(
  { boss }: Pick<DeliveryDeps, 'boss'>,
  queue: string,
  lookSeconds: number,
  deliver: (job: JobWithMetadata<Job>) => Promise<JobResult>,
): Promise<() => Promise<void>> {
  const options = {
    batchSize: TOGETHER,
    burstWhenBatchFull: true,
    perJobResults: true,
    includeMetadata: true,
    pollingIntervalSeconds: lookSeconds,
    notifyPollingIntervalSeconds: lookSeconds,
  } as const;
  const all = (jobs: JobWithMetadata<Job>[]) => Promise.all(jobs.map((job) => deliver(job)));
  const id = await boss.work<Job, object, typeof options>(queue, options, all);
  return () => boss.offWork(queue, { id, wait: true });
}
