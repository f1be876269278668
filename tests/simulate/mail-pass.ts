import type { JobResult, JobWithMetadata } from 'pg-boss';
import { startMail, type MailOptions } from '../../server/src/mail/delivery-mails.ts';
import { defaultSmtpTimeouts } from '../../server/src/mail/post.ts';
import type { MailJob } from '../../server/src/mutations/jobs/wakeups.ts';
import type { Depot } from './depot.ts';
import { type KillPoint, KillableDatabase } from './killable-database.ts';
import { addressOf, routeOf } from './model/fixture.ts';
import type { Mailbox } from './model/mails.ts';
import type { Quiescence } from './quiescence.ts';
import type { WorldTime } from './world-time.ts';

export interface MailPassDeps {
  readonly depot: Depot;
  readonly seed: number;
  readonly mailbox: Mailbox;
  readonly time: WorldTime;
  readonly quiescence: Quiescence;
}

export interface MailPassFaults {
  readonly killPoint?: KillPoint | undefined;
  /** The mail server takes a mail and its answer is lost, or it defers the recipient. */
  readonly mailFault?: (typeof mailFaults)[number] | undefined;
}

export const mailFaults = ['loses an answer', 'defers the recipient'] as const;

/** Then the mails of a world meet no more faults, and it can come to rest. */
const MAX_INTERRUPTIONS = 3;

type Handler = (jobs: readonly JobWithMetadata<MailJob>[]) => Promise<readonly JobResult[]>;

/** A process sends the queued mails of one world. All worlds share the mail server, so worlds take turns. */
export async function mailPass(deps: MailPassDeps, faults: MailPassFaults = {}): Promise<void> {
  await deps.depot.inTurn(() => sendAll(deps, faults));
}

async function sendAll(deps: MailPassDeps, faults: MailPassFaults): Promise<void> {
  const { depot, seed, mailbox, time, quiescence } = deps;
  const { mailServer, log } = depot;
  const jobs = await depot.mailJobs(routeOf(seed).id);
  if (jobs.length === 0) return;
  const { killPoint, mailFault } = mailbox.interruptions < MAX_INTERRUPTIONS ? faults : {};
  const db = new KillableDatabase(depot.db, quiescence, () => undefined);
  if (killPoint) db.setKillPoint(killPoint);
  let deliver: Handler = () => Promise.reject(new Error('the mails have not started'));
  // The jobs are the queue's own. Their time is the world's, so no worker of pg-boss fetches them.
  const boss: MailOptions['boss'] = {
    work: async (_queue: string, ...rest: unknown[]) => {
      const handler = rest.at(-1);
      if (isHandler(handler)) deliver = handler;
      return 'world';
    },
    offWork: async () => undefined,
  };
  const config = {
    smtpUrl: mailServer.url,
    mailFrom: 'Tailgate <pod@depot.example>',
    dataDir: '',
    publicUrl: undefined,
    access: 'documented' as const,
  };
  const clock = (): Date => new Date(time.now);
  const mails = await startMail({ db, boss, config, clock, log, timeouts: defaultSmtpTimeouts });
  if (mailFault === 'loses an answer') mailServer.answersToLose = 1;
  if (mailFault === 'defers the recipient') mailServer.refuse(addressOf(seed), 451, '4.2.0 not now');
  const before = mailServer.received.length;
  // Nothing else proceeds during a pass.
  const version = await versionOf(deps);
  try {
    for (const job of jobs) {
      const [result] = await deliver([job]);
      if (db.isKilled) break;
      if (result?.status === 'completed') await depot.endMailJob(job.id);
    }
  } finally {
    await mails.stop();
    await quiescence.reached();
    if (killPoint || mailFault) mailbox.interruptions++;
    mailServer.answersToLose = 0;
    mailServer.acceptAll();
    for (const { headers, recipients, source } of mailServer.received.slice(before))
      mailbox.mails.push({
        messageId: headers.get('message-id') ?? '',
        date: headers.get('date') ?? '',
        recipients,
        source,
        version,
      });
  }
}

async function versionOf({ depot, seed }: MailPassDeps): Promise<number> {
  const { facility, id, week_end: weekEnd } = routeOf(seed);
  const { rows } = await depot.db.query<{ readonly version: number }>(
    'select version::int as version from route where facility = $1 and id = $2 and week_end = $3',
    [facility, id, weekEnd],
  );
  return rows[0]?.version ?? 0;
}

const isHandler = (value: unknown): value is Handler => typeof value === 'function';
