import type { SharedCounters } from '../db/shared-counters.ts';
import type { Queryable } from '../db/types.ts';
import { deleteExpiredCodes, deleteOldSends } from './message-sql.ts';
import { dropOldFailures } from './proof-sql.ts';
import { dropInvitations } from './invitation-sql.ts';
import { dropSessions } from './operators/operator-sql.ts';
import { failuresLastMs } from './rules.ts';

const dayMs = 24 * 3_600_000;
/** Budgets cover a day. Records of messages stay longer, for questions about a bill or a break-in. */
const sendsLastMs = 90 * dayMs;

interface AuthSweepDeps {
  readonly db: Queryable;
  readonly counters: Pick<SharedCounters, 'sweep'>;
  readonly clock: () => Date;
}

/** Deletes records that no limit reads any more. Several nodes may run it at once. */
export async function sweepAuth({ db, counters, clock }: AuthSweepDeps): Promise<void> {
  const before = (ms: number): Date => new Date(clock().getTime() - ms);
  await db.query(dropOldFailures, [before(failuresLastMs)]);
  await db.query(deleteExpiredCodes, [before(dayMs)]);
  await db.query(dropInvitations, [before(sendsLastMs)]);
  await db.query(dropSessions, [before(sendsLastMs)]);
  await db.query(deleteOldSends, [before(sendsLastMs)]);
  await counters.sweep();
}
