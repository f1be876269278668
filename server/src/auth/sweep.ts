import type { SharedCounters } from '../db/shared-counters.ts';
import type { Queryable } from '../db/types.ts';
import { dropCodes, dropSends } from './message-sql.ts';
import { dropOldFailures } from './proof-sql.ts';
import { dropInvitations } from './invitation-sql.ts';
import { failuresLastMs } from './rules.ts';

const dayMs = 24 * 3_600_000;
/** The budgets look back a day. Who was sent what and when is kept longer, for whoever asks about a bill or a break-in. */
const sendsLastMs = 90 * dayMs;

interface AuthSweepDeps {
  readonly db: Queryable;
  readonly counters: Pick<SharedCounters, 'sweep'>;
  readonly clock: () => Date;
}

/** Drops what no limit looks at any more. Any number of nodes at once. */
export async function sweepAuth({ db, counters, clock }: AuthSweepDeps): Promise<void> {
  const before = (ms: number): Date => new Date(clock().getTime() - ms);
  await db.query(dropOldFailures, [before(failuresLastMs)]);
  await db.query(dropCodes, [before(dayMs)]);
  await db.query(dropInvitations, [before(sendsLastMs)]);
  await db.query(dropSends, [before(sendsLastMs)]);
  await counters.sweep();
}
