import type { Queryable, Statement } from '../../db/types.ts';
import type { Log } from '../../runtime/log.ts';
import * as sql from './retention-sql.ts';

/** For how many days each is kept; undefined: for ever (docs/decisions/0043). */
export interface Retention {
  readonly ledger: number | undefined;
  readonly routes: number | undefined;
  readonly files: number | undefined;
  readonly mails: number | undefined;
  readonly incidents: number | undefined;
}

export interface RetentionDeps {
  readonly db: Queryable;
  readonly retention: Retention;
  readonly clock: () => Date;
  readonly log: Log;
}

const DAY_MS = 86_400_000;
/** Small batches hold their locks for moments; a backlog of years goes over many sweeps, so that no one of them hurts. */
const MOST_BATCHES = 20;

interface Task {
  readonly subject: keyof Retention;
  readonly drop: Statement;
  /** Entries a batch: a route has some hundred changes, a file some chunks of 256 KiB. */
  readonly batch: number;
}

/** The ledger before the routes that it is of. */
const tasks: readonly Task[] = [
  { subject: 'ledger', drop: sql.dropLedger, batch: 20 },
  { subject: 'ledger', drop: sql.dropReportLedger, batch: 500 },
  { subject: 'routes', drop: sql.dropRoutes, batch: 20 },
  { subject: 'files', drop: sql.dropFiles, batch: 50 },
  { subject: 'mails', drop: sql.dropMails, batch: 1_000 },
  { subject: 'incidents', drop: sql.dropIncidents, batch: 1_000 },
  { subject: 'incidents', drop: sql.dropSettled, batch: 500 },
];

/** Deletes what its time is over for and what the host has, in small batches. Any number of nodes at once. */
export async function applyRetention({ db, retention, clock, log }: RetentionDeps): Promise<void> {
  for (const { subject, drop, batch } of tasks) {
    const days = retention[subject];
    if (days === undefined) continue;
    const before = new Date(clock().getTime() - days * DAY_MS);
    const deleted = await dropAll(db, drop, before, batch);
    if (deleted > 0) log.info({ subject, days, deleted }, 'what was kept for its time was deleted');
  }
}

/** Whether anything is ever deleted. */
export const isLimited = (retention: Retention): boolean => Object.values(retention).some((days) => days !== undefined);

/** @returns how many rows went */
async function dropAll(db: Queryable, drop: Statement, before: Date, batch: number): Promise<number> {
  let total = 0;
  for (let n = 0; n < MOST_BATCHES; n++) {
    const { rowCount } = await db.query(drop, [before, batch]);
    if (!rowCount) break;
    total += rowCount;
  }
  return total;
}
