import { join } from 'node:path';
import type { StopPlan, StopResult } from '@tailgate/sync-protocol';
import { routeScope } from '@tailgate/sync-protocol';
import type { JobResult, JobWithMetadata, PgBoss } from 'pg-boss';
import type { Config } from '../config.ts';
import type { Queryable } from '../db/types.ts';
import type { Log } from '../log.ts';
import { queues, type MailJob } from '../mutations/wakeups.ts';
import { folderPost, smtpPost, type Post } from './post.ts';
import { recipientsOf } from './recipients.ts';
import { renderSummary } from './render-summary.ts';
import { readReasons, readStop, saveGivenUp, saveSent } from './sql.ts';

export interface MailOptions {
  readonly db: Queryable;
  readonly boss: Pick<PgBoss, 'work' | 'offWork'>;
  readonly config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir'>;
  readonly clock: () => Date;
  readonly log: Log;
}

const work = {
  // Letters on their way at the same time, each on a connection of its own.
  batchSize: 5,
  burstWhenBatchFull: true,
  perJobResults: true,
  includeMetadata: true,
  // A new letter is announced; one that is tried again is not.
  notifyPollingIntervalSeconds: 2,
} as const;

/** Sends the delivery summaries that the pipeline has queued, by SMTP or into a folder. */
export async function startMail(options: MailOptions): Promise<DeliveryMails> {
  const { smtpUrl, mailFrom, dataDir } = options.config;
  const post = smtpUrl === undefined ? folderPost(join(dataDir, 'mail'), mailFrom) : smtpPost(smtpUrl, mailFrom);
  const mails = new DeliveryMails(options, post);
  await mails.start();
  return mails;
}

/**
 * One mail for each transition to D. The queued job is retried for half a day; the mutation names the letter, and a row
 * says that it went out. Between the mail server's word and that row lies a moment in which a crash has the letter sent
 * twice, under the same Message-ID; the other order could lose it.
 */
export class DeliveryMails {
  readonly #options: MailOptions;
  readonly #post: Post;
  #job: string | undefined;

  constructor(options: MailOptions, post: Post) {
    this.#options = options;
    this.#post = post;
  }

  async start(): Promise<void> {
    const deliver = (jobs: JobWithMetadata<MailJob>[]) => Promise.all(jobs.map((job) => this.#deliver(job)));
    this.#job = await this.#options.boss.work<MailJob, object, typeof work>(queues.mail, work, deliver);
  }

  /** Ends after the letters that are on their way. */
  async stop(): Promise<void> {
    if (this.#job !== undefined) await this.#options.boss.offWork(queues.mail, { id: this.#job, wait: true });
    this.#post.close();
  }

  async #deliver(job: JobWithMetadata<MailJob>): Promise<JobResult> {
    try {
      await this.#send(job);
      return { id: job.id, status: 'completed' };
    } catch (error) {
      await this.#failed(job, error);
      return { id: job.id, status: 'failed', output: { reason: faultOf(error) } };
    }
  }

  async #send({ data: { facility, route_id, week_end, stop, mutation, paths }, signal }: JobWithMetadata<MailJob>) {
    const { db, clock, log } = this.#options;
    const key = { facility, id: route_id, week_end };
    const { rows } = await db.query<StopRow>(readStop, [facility, route_id, week_end, stop, mutation]);
    const [row] = rows;
    if (!row || row.sent) return;

    const [plan, result] = [readPlan(row.plan), readResult(row.result)];
    const about = { route: routeScope(key), stop, mutation };
    const { to, cc, invalid } = recipientsOf(plan.customer.contact, result.updates?.osd_emails ?? [], paths);
    if (invalid > 0) log.warn({ ...about, invalid }, 'addresses of a delivery mail are none and were left out');
    if (to.length === 0) return;

    const { zone, drivers, route_name: name } = row;
    const letter = renderSummary({
      route: { ...key, name },
      plan,
      result,
      zone,
      drivers,
      reason: await this.#reasons(),
    });
    const { refused } = await this.#post.send({ ...letter, id: mutation, to, cc }, signal);
    if (refused > 0) log.warn({ ...about, refused }, 'the mail server refused some recipients of a delivery mail');
    await db.query(saveSent, [facility, mutation, clock()]);
  }

  async #reasons(): Promise<(type: string, code: string) => string> {
    const { rows } = await this.#options.db.query<{ type: string; code: string; description: string }>(readReasons);
    const known = new Map(rows.map(({ type, code, description }) => [`${type} ${code}`, description]));
    return (type, code) => known.get(`${type} ${code}`) ?? '';
  }

  async #failed({ data, retryCount, retryLimit }: JobWithMetadata<MailJob>, error: unknown): Promise<void> {
    const { db, log } = this.#options;
    const { facility, route_id, week_end, stop, mutation } = data;
    const about = { route: routeScope({ facility, id: route_id, week_end }), stop, mutation, reason: faultOf(error) };
    if (retryCount < retryLimit) return log.warn({ ...about, retryCount }, 'a delivery mail could not be sent yet');
    log.error(about, 'a delivery mail was given up');
    await db
      .query(saveGivenUp, [JSON.stringify(about)])
      .catch((err: unknown) => log.error({ err, mutation }, 'an incident could not be kept'));
  }
}

interface StopRow {
  route_name: string;
  zone: string;
  plan: string;
  result: string;
  sent: boolean;
  drivers: Record<string, string>;
}

// The documents are our own and were parsed before they were written: boundaries parse, interiors trust.
const readPlan: (doc: string) => StopPlan = JSON.parse;
const readResult: (doc: string) => StopResult = JSON.parse;

/** What went wrong, in codes alone: mail servers repeat addresses in their words. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const parts = [
    'code' in error ? error.code : error.name,
    'command' in error ? error.command : '',
    'responseCode' in error ? error.responseCode : '',
  ];
  return parts.filter((part) => typeof part === 'number' || (typeof part === 'string' && part !== '')).join(' ');
}
