import { withoutFlush } from '../db/without-flush.ts';
import type { Db } from '../db/types.ts';
import { countFailure, countTry, endFailures } from './proof-sql.ts';
import { failuresLastMs } from './rules.ts';

/** A failed check of a password or a code: of a driver, an operator or an invited employee. */
export interface FailedAttempt {
  /** The employee, or the operator's name in the counters. */
  readonly subject: string;
  readonly address: string;
  /** A known phone; blank for all others. */
  readonly device: string;
}

/** Counts one more failure in a row. The commit waits for no disk: only a pending one-time password writes to the log, and no client may be able to measure that. */
export async function countFailedAttempt(db: Db, attempt: FailedAttempt, now: Date): Promise<void> {
  const row = [attempt.subject, attempt.address, attempt.device];
  await withoutFlush(db, [
    [countTry, [attempt.subject]],
    [endFailures, [...row, new Date(now.getTime() - failuresLastMs)]],
    [countFailure, [...row, now]],
  ]);
}
