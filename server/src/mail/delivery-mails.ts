import { join } from 'node:path';
import { routeScope } from '@tailgate/sync-protocol';
import type { JobResult, JobWithMetadata } from 'pg-boss';
import type { FileSource } from '../assets/file-bytes.ts';
import type { Config } from '../config.ts';
import type { Queryable } from '../db/types.ts';
import { workDeliveries, type DeliveryDeps } from '../mutations/jobs/deliveries.ts';
import type { HostMode } from '../modes/host-mode.ts';
import { queues, type MailJob } from '../mutations/jobs/wakeups.ts';
import { contentsOf, mailLinks } from './contents.ts';
import { folderPost, defaultSmtpTimeouts, smtpPost, type SmtpTimeouts, type Post } from './post.ts';
import { recordGivenUp, recordSent, recordSettled, loadProgress } from './progress.ts';
import { onlyTo, recipientsOf } from './recipients.ts';
import { faultOf, isMessageFault, type Verdict } from './smtp-verdict.ts';
import { readSummarizedStop } from './stop-reading.ts';

export interface MailOptions extends DeliveryDeps {
  readonly db: Queryable;
  readonly store?: FileSource['store'];
  readonly config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'dataDir' | 'publicUrl' | 'access'> &
    Partial<Pick<Config, 'shadowMailTo'>>;
  readonly timeouts?: SmtpTimeouts;
}

/** Sends the queued delivery summaries by SMTP or into a folder. */
export async function startMail(options: MailOptions): Promise<DeliveryMails> {
  const { config, timeouts = defaultSmtpTimeouts, watch = () => undefined } = options;
  const { smtpUrl, mailFrom, dataDir } = config;
  const post =
    smtpUrl === undefined ? folderPost(join(dataDir, 'mail'), mailFrom) : smtpPost(smtpUrl, mailFrom, timeouts);
  const mails = new DeliveryMails({ store: undefined, ...options, timeouts, watch }, post);
  await mails.start();
  return mails;
}

/** Some recipients are deferred: the job comes again for them. */
class DeferredError extends Error {
  override readonly name = 'RECIPIENTS_DEFERRED';
}

/**
 * One mail for each transition to D, and for each request of an operator. The queued job is retried for half a day. The mutation names the mail, and rows
 * record its finished recipients, so that a deferred recipient gets it later and no other gets it twice. A crash
 * between the mail server's answer and those rows sends the mail again, under the same Message-ID; the other order
 * could lose it.
 */
export class DeliveryMails {
  readonly #options: Required<MailOptions>;
  readonly #post: Post;
  #stopWork = async () => {};

  constructor(options: Required<MailOptions>, post: Post) {
    this.#options = options;
    this.#post = post;
  }

  async start(): Promise<void> {
    const { pollSeconds } = this.#options.timeouts;
    this.#stopWork = await workDeliveries<MailJob>(this.#options, queues.mail, pollSeconds, (job) =>
      this.#deliver(job),
    );
  }

  /** Ends after the mails in progress. */
  async stop(): Promise<void> {
    await this.#stopWork();
    this.#post.close();
  }

  async #deliver(job: JobWithMetadata<MailJob>): Promise<JobResult> {
    try {
      await this.#send(job);
      return { id: job.id, status: 'completed' };
    } catch (error) {
      const [reason, { retryCount, retryLimit }] = [faultOf(error), job];
      if (retryCount >= retryLimit) await this.#giveUp(job.data, reason);
      else {
        this.#options.log.warn({ ...aboutOf(job.data), reason, retryCount }, 'a delivery mail could not be sent yet');
        this.#options.watch('deferred');
      }
      return { id: job.id, status: 'failed', output: { reason } };
    }
  }

  async #send({ data: job, createdOn, output, signal }: JobWithMetadata<MailJob>): Promise<void> {
    const { db, config, timeouts, log } = this.#options;
    const { sent, settled, taken, mode } = await loadProgress(db, job);
    const redirect = mode === 'live' ? undefined : config.shadowMailTo;
    if (!sent && mode !== 'live' && redirect === undefined) return this.#hold(job, mode);
    const stop = sent ? undefined : (await readSummarizedStop(db, keyOf(job), job.stop))?.stop;
    if (!stop) return;

    const { customer } = stop.plan;
    const recorded = stop.result.updates?.osd_emails ?? [];
    const meant = job.to === undefined ? recipientsOf(customer.contact, recorded, job.paths) : onlyTo(job.to);
    const { to, cc, invalid } = redirect !== undefined && meant.to.length > 0 ? onlyTo(redirect) : meant;
    if (invalid > 0) log.warn({ ...aboutOf(job), invalid }, 'addresses of a delivery mail are none and were left out');
    const recipients = [...to, ...cc].filter((address) => !settled.has(address));
    // No address at all needs no mail; after a try, those that had to wait may be recipients no longer.
    if (recipients.length === 0) return settled.size > 0 ? this.#finish(job, taken) : undefined;

    const pictures = !isMessageFault(output);
    const contents = await contentsOf(this.#options, stop, { pictures, linkTo: mailLinks(config) });
    const date = job.due_at === undefined ? createdOn : new Date(job.due_at);
    const letter = { id: job.mutation, date, to, cc, recipients, ...contents };
    const ends = AbortSignal.any([signal, AbortSignal.timeout(timeouts.messageMs)]);
    const verdict = await this.#post.send(letter, ends);
    await this.#recordOutcome(job, verdict, taken);
  }

  /** Records the finished recipients. @throws DeferredError where some are deferred */
  async #recordOutcome(job: MailJob, verdict: Verdict, takenBefore: number): Promise<void> {
    const { db, clock, log } = this.#options;
    const { taken, refused, deferred } = verdict;
    if (refused.length > 0)
      log.warn(
        { ...aboutOf(job), refused: refused.length },
        'the mail server refused some recipients of a delivery mail',
      );
    if (deferred.length > 0) {
      await recordSettled(db, job, verdict, clock());
      throw new DeferredError(`${deferred.length} recipients have to wait`);
    }
    await this.#finish(job, taken.length + takenBefore);
  }

  /** No recipient is left. If none has the mail, the server has refused permanently: another try is useless. */
  async #finish(job: MailJob, taken: number): Promise<void> {
    const { db, clock, watch } = this.#options;
    if (taken === 0) return this.#giveUp(job, 'RECIPIENTS_REFUSED');
    await recordSent(db, job, clock());
    watch('sent');
  }

  /** The facility is not live: its customers hear from another system. An operator's request needs an answer. */
  async #hold(job: MailJob, mode: HostMode): Promise<void> {
    this.#options.log.info({ ...aboutOf(job), mode }, 'a delivery mail is held: its facility is not live');
    if (job.to !== undefined) await this.#giveUp(job, 'FACILITY_NOT_LIVE');
  }

  async #giveUp(job: MailJob, reason: string): Promise<void> {
    const { db, log } = this.#options;
    const about = { ...aboutOf(job), reason };
    log.error(about, 'a delivery mail was given up');
    this.#options.watch('given_up');
    await recordGivenUp(db, job, about).catch((err: unknown) =>
      log.error({ err, mutation: job.mutation }, 'an incident could not be kept'),
    );
  }
}

const keyOf = ({ facility, route_id, week_end }: MailJob) => ({ facility, id: route_id, week_end });

const aboutOf = (job: MailJob) => ({ route: routeScope(keyOf(job)), stop: job.stop, mutation: job.mutation });
