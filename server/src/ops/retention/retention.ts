import { withTransaction } from '../../db/transaction.ts';
import type { Db, Statement } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import { deleteApart } from '../legal-holds/legal-holds.ts';
import * as sql from './retention-sql.ts';

/** Days of retention for each subject; undefined means for ever (docs/decisions/0043). */
export interface Retention {
  readonly ledger: number | undefined;
  readonly routes: number | undefined;
  readonly files: number | undefined;
  readonly mails: number | undefined;
  readonly incidents: number | undefined;
  readonly acts: number | undefined;
}

export interface RetentionDeps {
  readonly db: Db;
  readonly retention: Retention;
  readonly clock: () => Date;
  readonly log: Log;
}

const DAY_MS = 86_400_000;
/**
 * Small batches hold their locks for moments. A backlog of years takes many sweeps, so that no single sweep is long.
 */
const MAX_BATCHES = 20;

interface Task {
  readonly subject: keyof Retention;
  readonly drop: Statement;
  /** Entries a batch: a route has some hundred changes, a file some chunks of 256 KiB. */
  readonly batch: number;
}

/** The ledger goes before the routes of its changes. */
const tasks: readonly Task[] = [
  { subject: 'ledger', drop: sql.dropLedger, batch: 20 },
  { subject: 'ledger', drop: sql.dropReportLedger, batch: 500 },
  { subject: 'routes', drop: sql.dropRoutes, batch: 20 },
  { subject: 'files', drop: sql.dropFiles, batch: 50 },
  { subject: 'mails', drop: sql.dropProofs, batch: 1_000 },
  { subject: 'mails', drop: sql.dropMails, batch: 1_000 },
  { subject: 'incidents', drop: sql.dropIncidents, batch: 1_000 },
  { subject: 'incidents', drop: sql.dropSettled, batch: 500 },
  { subject: 'acts', drop: sql.dropActs, batch: 1_000 },
];

/** Deletes expired data that host and log have and no legal hold keeps, in small batches. Any number of nodes may run it at once. */
export async function applyRetention({ db, retention, clock, log }: RetentionDeps): Promise<void> {
  for (const task of tasks) {
    const { subject } = task;
    const days = retention[subject];
    if (days === undefined) continue;
    const deleted = await dropAll(db, task, days, clock());
    if (deleted > 0) log.info({ subject, days, deleted }, 'expired records were deleted');
  }
  await db.query(sql.dropLogged);
}

/** Whether any subject expires. */
export const isLimited = (retention: Retention): boolean => Object.values(retention).some((days) => days !== undefined);

/** @returns the number of deleted rows */
async function dropAll(db: Db, { subject, drop, batch }: Task, days: number, now: Date): Promise<number> {
  const before = new Date(now.getTime() - days * DAY_MS);
  const rule = `${subject} ${days} days`;
  let total = 0;
  for (let n = 0; n < MAX_BATCHES; n++) {
    const rowCount = await withTransaction(db, async (tx) => {
      await deleteApart(tx);
      return (await tx.query(drop, [before, batch, now, rule])).rowCount;
    });
    if (!rowCount) break;
    total += rowCount;
  }
  return total;
}
