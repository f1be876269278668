import type { Queryable } from '../db/types.ts';
import type { HostMode } from '../modes/host-mode.ts';
import type { MailJob } from '../mutations/jobs/wakeups.ts';
import type { Verdict } from './smtp-verdict.ts';
import { readProgress, saveGivenUp, saveSent, saveSettled } from './sql.ts';

export interface Progress {
  /** The mail is finished. */
  readonly sent: boolean;
  /** Recipients that earlier tries have finished. */
  readonly settled: ReadonlySet<string>;
  /** How many of those have the mail. */
  readonly taken: number;
  /** The mode of its facility. */
  readonly mode: HostMode;
}

type ProgressRow = { sent: boolean; settled: string[]; taken: number; mode: HostMode };

type Mail = Pick<MailJob, 'facility' | 'mutation'>;

export async function loadProgress(db: Queryable, { facility, mutation }: Mail): Promise<Progress> {
  const { rows } = await db.query<ProgressRow>(readProgress, [facility, mutation]);
  const { sent = false, settled = [], taken = 0, mode = 'live' } = rows[0] ?? {};
  return { sent, settled: new Set(settled), taken, mode };
}

/** Records the results of a try; deferred recipients are left. */
export async function recordSettled(db: Queryable, { facility, mutation }: Mail, verdict: Verdict, now: Date) {
  const { taken, refused } = verdict;
  await db.query(saveSettled, [facility, mutation, [...taken, ...refused], taken.length, now]);
}

export async function recordSent(db: Queryable, { facility, mutation }: Mail, now: Date): Promise<void> {
  await db.query(saveSent, [facility, mutation, now]);
}

/** @param details without any address */
export async function recordGivenUp(db: Queryable, { facility, mutation }: Mail, details: object): Promise<void> {
  await db.query(saveGivenUp, [facility, mutation, JSON.stringify(details)]);
}
