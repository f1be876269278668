import type { RouteKey } from '@tailgate/sync-protocol';
import { PgBoss } from 'pg-boss';
import type { Queryable } from '../../../server/src/db/types.ts';
import type { DeliveryOutcome } from '../../../server/src/mutations/jobs/deliveries.ts';
import { startMail } from '../../../server/src/mail/delivery-mails.ts';
import type { SmtpTimeouts } from '../../../server/src/mail/post.ts';
import { defaultSmtpTimeouts } from '../../../server/src/mail/post.ts';
import type { Change } from '../../../server/src/mutations/change.ts';
import { queues } from '../../../server/src/mutations/jobs/wakeups.ts';
import { atFileEnd } from '../../support/file-end.ts';
import type { ReceivedMail } from '../../support/mail-server.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { recordedLog } from '../../support/recorded-log.ts';
import { pipelineDeps } from '../mutations/fixture.ts';
import { restChange } from '../../support/rest-change.ts';

export interface MailWorkerOptions {
  /** Stores mails as files there, instead of sending them. */
  readonly dataDir?: string;
  readonly timeouts?: Partial<SmtpTimeouts>;
  readonly shadowMailTo?: string;
}

/** A pipeline, its queued mails, and a real mail server. */
export async function mailDeps() {
  const deps = await pipelineDeps();
  const pipeline = deps.open();
  await deps.pool.query(`insert into facility (id, name, zone) values ('F01', 'Depot', 'America/Chicago')`);
  const boss = new PgBoss({
    connectionString: deps.database.url,
    useListenNotify: true,
    supervise: false,
    schedule: false,
  });
  boss.on('error', () => undefined);
  await boss.start();
  atFileEnd(() => boss.stop({ graceful: false }));
  // Retries run without delay; other settings of the queue are those of production.
  await boss.updateQueue(queues.mail, { retryDelay: 0, retryBackoff: false });
  const server = await startMailServer();
  const isMailOf =
    (mutation: string) =>
    ({ headers }: ReceivedMail): boolean =>
      headers.get('message-id') === `<${mutation}@depot.example>`;
  let stopMails: (() => Promise<void>) | undefined;

  return {
    deps,
    pipeline,
    boss,
    server,
    /** Stops sending; resolves when mails in progress have ended. */
    stopMails: async () => stopMails?.(),

    /** Delivery mails of a node; `afterStatement` receives the names of its finished statements. */
    startMails: async ({ dataDir = '', timeouts = {}, shadowMailTo }: MailWorkerOptions = {}) => {
      const log = recordedLog();
      const { promise: warned, resolve: resolveWarned } = Promise.withResolvers<void>();
      const watchedLog = {
        ...log,
        warn: (fields: object, message: string) => {
          log.warn(fields, message);
          resolveWarned();
        },
      };
      const finishedStatements = new Map<string, PromiseWithResolvers<void>>();
      const finishOf = (name: string) => {
        const known = finishedStatements.get(name) ?? Promise.withResolvers<void>();
        finishedStatements.set(name, known);
        return known;
      };
      const db: Queryable = {
        query: async (statement, values) => {
          const answer = await deps.pool.query(statement, values);
          if (typeof statement === 'object') finishOf(statement.name).resolve();
          return answer;
        },
      };
      const config = {
        smtpUrl: dataDir ? undefined : server.url,
        mailFrom: 'Tailgate <pod@depot.example>',
        dataDir,
        publicUrl: undefined,
        access: 'documented' as const,
        shadowMailTo,
      };
      const clock = () => new Date();
      const outcomes: DeliveryOutcome[] = [];
      const mails = await startMail({
        db,
        boss,
        config,
        clock,
        log: watchedLog,
        watch: (outcome) => void outcomes.push(outcome),
        timeouts: { ...defaultSmtpTimeouts, pollSeconds: 0.5, ...timeouts },
      });
      let stopping: Promise<void> | undefined;
      stopMails = () => (stopping ??= mails.stop());
      atFileEnd(stopMails);
      return { log, outcomes, warned, afterStatement: (name: string) => finishOf(name).promise };
    },

    /** A driver's stop object; resolves with the mutation that names its mail. */
    submit: (key: RouteKey, stop: Parameters<typeof restChange>[1], more: Partial<Change> = {}) => {
      const change = restChange(key, stop, '1001', more);
      return pipeline.submit(change).then(() => change.id);
    },
    mailsOf: (mutation: string) => server.received.filter(isMailOf(mutation)),
    mailOf: (mutation: string) => server.mail(isMailOf(mutation)),
    sentMails: async (mutation: string) => {
      const { rows } = await deps.pool.query<{ facility: string }>(
        'select facility from mail_sent where mutation_id = $1',
        [mutation],
      );
      return rows;
    },
    incidents: async (mutation: string) => {
      const { rows } = await deps.pool.query<{ details: string }>(
        `select details from incident where kind = 'mail_given_up' and details like '%' || $1 || '%'`,
        [mutation],
      );
      return rows.map(({ details }): unknown => JSON.parse(details));
    },
  };
}
