import { hash, randomUUID } from 'node:crypto';
import type { PgBoss } from 'pg-boss';
import type { AuthDeps } from '../../auth/deps.ts';
import type { Queryable, Tx } from '../../db/types.ts';
import type { Changes } from '../apply/changes.ts';
import { deliveryQueue } from './deliveries.ts';
import { saveOwed, type Owed } from './owed-sql.ts';

/** Queues of pg-boss. Jobs are only wake-ups: the tables contain the work (I8). */
export const queues = {
  replicate: 'replicate',
  replicateRows: 'replicate-rows',
  mail: 'mail',
  sms: 'sms',
  close: 'close-route',
} as const;

/**
 * Wakes the worker for a row that replicates on its own: a user, a sign-in, an asset, a load report. It runs inside the
 * transaction of the change. The raised `version` of the row is the change itself, and the sweep finds rows whose
 * wake-up is lost (I8).
 */
export type WakeHostRows = (tx: Tx) => Promise<void>;

/** Jobs that commit with the batch: wake-ups of the worker, mails, alarms of closing timers. */
export interface Wakeups {
  replicate(tx: Tx): Promise<void>;
  /** For rows that replicate on their own. */
  replicateRows: WakeHostRows;
  mail(tx: Tx, mails: Changes['mails']): Promise<void>;
  closeAt(tx: Tx, alarms: readonly Date[]): Promise<void>;
}

export interface MailJob {
  readonly facility: string;
  readonly route_id: string;
  readonly week_end: string;
  readonly stop: number;
  /** The mutation that brought the stop to D: one mail for each. With `to`, the id of the operator's request. */
  readonly mutation: string;
  readonly paths: 'v20' | 'current';
  /** When the mail became due, ISO 8601; absent in the jobs of earlier releases. */
  readonly due_at?: string;
  /** The one recipient, where an operator named it; absent: the recipients follow from the stop. */
  readonly to?: string;
}

/** Creates the queues unless they exist. Wake-ups expire after an hour: the sweep has done their work by then. */
export async function createQueues(boss: Pick<PgBoss, 'createQueue'>): Promise<void> {
  for (const name of [queues.replicate, queues.replicateRows]) {
    await boss.createQueue(name, {
      policy: 'standard',
      notify: true,
      retryLimit: 0,
      retentionSeconds: 3_600,
      deleteAfterSeconds: 60,
    });
  }
  // The mailer gives up after a minute without an answer. A job of a killed process waits little longer.
  await boss.createQueue(queues.mail, { ...deliveryQueue, expireInSeconds: 180 });
  await boss.createQueue(queues.sms, { ...deliveryQueue, expireInSeconds: 60 });
  await boss.createQueue(queues.close, { policy: 'standard', retryLimit: 20, retryDelay: 1, retryBackoff: true });
}

/**
 * Sends jobs inside the batch's own transaction. No keyed dedupe: it loses wake-ups and makes transactions wait.
 *
 * @param clock the time at which a mail becomes due; by default that of the machine
 */
export function bossWakeups(boss: Pick<PgBoss, 'send' | 'insert'>, clock = () => new Date()): Wakeups {
  return {
    async replicate(tx) {
      await boss.send(queues.replicate, {}, { db: executor(tx) });
    },
    replicateRows: bossRowsWakeup(boss),
    mail(tx, mails) {
      const due_at = clock().toISOString();
      return insertMails(
        boss,
        tx,
        mails.map((mail) => ({ ...mailJob(mail), due_at })),
      );
    },
    async closeAt(tx, alarms) {
      await boss.insert(
        queues.close,
        alarms.map((startAfter) => ({ data: {}, startAfter })),
        { db: executor(tx) },
      );
    },
  };
}

/** Queues a mail in the transaction that asks for it. */
export type QueueMail = (tx: Tx, mail: MailJob) => Promise<void>;

export const bossMail =
  (boss: Pick<PgBoss, 'insert'>): QueueMail =>
  (tx, mail) =>
    insertMails(boss, tx, [mail]);

async function insertMails(boss: Pick<PgBoss, 'insert'>, tx: Tx, mails: readonly MailJob[]): Promise<void> {
  const owed = mails.map((data): Owed => ({ id: randomUUID(), queue: queues.mail, data }));
  await Promise.all([
    tx.query(saveOwed, saveOwed.parameters(owed)),
    boss.insert(
      queues.mail,
      owed.map(({ id, data }) => ({ id, data })),
      { db: executor(tx) },
    ),
  ]);
}

/** How many statements `mail` sends. */
export const MAIL_STATEMENTS = 2;

/**
 * Queues a text message, inside a transaction where one is passed. The job names a driver, and has neither number nor
 * text.
 */
export function bossMessages(boss: Pick<PgBoss, 'send'>): AuthDeps['queueMessage'] {
  return async (db, message) => {
    // A driver waits for a one-time password. After ten minutes of attempts it is useless.
    const patience = message.kind === 'one_time_password' ? { retryLimit: 7 } : {};
    const id = randomUUID();
    await db.query(saveOwed, saveOwed.parameters([{ id, queue: queues.sms, data: message }]));
    await boss.send(queues.sms, message, { ...patience, id, db: executor(db) });
  };
}

/** The wake-up for slices whose rows replicate on their own. A transaction sends it once. */
export function bossRowsWakeup(boss: Pick<PgBoss, 'send'>): WakeHostRows {
  return async (tx) => {
    await boss.send(queues.replicateRows, {}, { db: executor(tx) });
  };
}

/** pg-boss sends few, long statements as text. With a name, a connection plans each of them once. */
const executor = (db: Queryable) => ({
  executeSql: (text: string, values?: unknown[]) => db.query(values ? { name: nameOf(text), text } : text, values),
});
const nameOf = (text: string): string => `pg-boss ${hash('md5', text)}`;

const mailJob = ({ key, stop, mutation, paths }: Changes['mails'][number]): MailJob => ({
  facility: key.facility,
  route_id: key.id,
  week_end: key.week_end,
  stop,
  mutation,
  paths,
});
