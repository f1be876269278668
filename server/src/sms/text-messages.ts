import { join } from 'node:path';
import type { JobResult, JobWithMetadata } from 'pg-boss';
import type { AuthDeps, TextMessage } from '../auth/deps.ts';
import { prepareMessage } from '../auth/one-time-password.ts';
import type { Config } from '../config.ts';
import { workDeliveries, type DeliveryDeps } from '../mutations/jobs/deliveries.ts';
import { queues } from '../mutations/jobs/wakeups.ts';
import { fileGateway, GatewayError, webhookGateway, type Gateway } from './gateway.ts';
import { saveGivenUp } from './sql.ts';

export interface TextMessageOptions extends DeliveryDeps {
  readonly auth: AuthDeps;
  readonly config: Pick<Config, 'smsUrl' | 'smsPerHour' | 'dataDir'> & Partial<Pick<Config, 'shadowSmsTo'>>;
}

const POLL_SECONDS = 2;

/** Sends queued text messages by a gateway's webhook or into a file. */
export async function startTextMessages(options: TextMessageOptions): Promise<TextMessages> {
  const { smsUrl, dataDir } = options.config;
  const gateway =
    smsUrl === undefined ? fileGateway(join(dataDir, 'sms.jsonl'), options.clock) : webhookGateway(smsUrl);
  const messages = new TextMessages(options, gateway);
  await messages.start();
  return messages;
}

/**
 * Messages to the phone on file. A queued one names employee and purpose. Number, text and one-time password are put
 * together right before it is sent, so that no queue contains them. After a lost answer of a gateway the message is
 * sent again, with another one-time password: the newest counts.
 */
export class TextMessages {
  readonly #options: TextMessageOptions;
  readonly #gateway: Gateway;
  #stopWork = async () => {};

  constructor(options: TextMessageOptions, gateway: Gateway) {
    this.#options = options;
    this.#gateway = gateway;
  }

  async start(): Promise<void> {
    const deliver = (job: JobWithMetadata<TextMessage>) => this.#deliver(job);
    this.#stopWork = await workDeliveries(
      { ...this.#options, db: this.#options.auth.db },
      queues.sms,
      POLL_SECONDS,
      deliver,
    );
  }

  /** Ends after the message in progress. */
  async stop(): Promise<void> {
    await this.#stopWork();
  }

  async #deliver(job: JobWithMetadata<TextMessage>): Promise<JobResult> {
    try {
      await this.#send(job);
      return { id: job.id, status: 'completed' };
    } catch (error) {
      const isFinal = error instanceof GatewayError && error.final;
      await this.#failed(job, error, isFinal);
      // A queue has no final refusal: a message that the gateway refuses permanently is finished, and an incident reports
      // it.
      return isFinal
        ? { id: job.id, status: 'completed' }
        : { id: job.id, status: 'failed', output: { reason: faultOf(error) } };
    }
  }

  async #send({ id, data, signal }: JobWithMetadata<TextMessage>): Promise<void> {
    const { auth, config } = this.#options;
    const limits = { messagesAnHour: config.smsPerHour, shadowTo: config.shadowSmsTo };
    const ready = await prepareMessage({ ...auth, ...limits }, id, data);
    if (ready.kind === 'send') {
      await this.#gateway.send({ to: ready.phone, text: textOf(data, ready.code) }, signal);
      return this.#options.watch?.('sent');
    }
    if (ready.kind === 'nothing') return;
    const about = { kind: data.kind, employee: data.employee };
    if (ready.kind === 'held')
      return this.#options.log.info(about, 'a text message is held: the facility of its driver is not live');
    this.#options.log.error(about, 'the hour’s text messages are used up (SMS_PER_HOUR)');
    // A notice can wait for the next hour; a user without a one-time password must ask for another.
    if (data.kind === 'signed_up') throw new Error('the hour’s text messages are used up');
  }

  async #failed({ data, retryCount, retryLimit }: JobWithMetadata<TextMessage>, error: unknown, isFinal: boolean) {
    const { auth, log, watch } = this.#options;
    const about = { kind: data.kind, employee: data.employee, reason: faultOf(error) };
    const isRetried = !isFinal && retryCount < retryLimit;
    watch?.(isRetried ? 'deferred' : 'given_up');
    if (isRetried) return log.warn({ ...about, retryCount }, 'a text message could not be sent yet');
    log.error(about, 'a text message was given up');
    const details = JSON.stringify({ kind: data.kind, reason: about.reason });
    await auth.db
      .query(saveGivenUp, [data.employee, details])
      .catch((err: unknown) => log.error({ err }, 'an incident could not be kept'));
  }
}

const faultOf = (error: unknown): string =>
  error instanceof GatewayError ? error.message : error instanceof Error ? error.name : 'unknown';

/**
 * The text of a message. It fits into one segment and uses characters of every network's alphabet. The one-time
 * password is its only word of eight capitals and digits (contract §2), so that phones and people find it.
 */
export function textOf({ kind, employee }: TextMessage, code: string | undefined): string {
  if (kind === 'one_time_password')
    return `Your one-time password for the delivery app: ${code}. It is valid for 15 minutes and only once. If you did not ask for it, do nothing.`;
  return `Driver ${employee} has just signed up for the delivery app. If that was not you, tell your dispatcher at once.`;
}
