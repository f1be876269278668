import { recordAct } from '../../acts/sql.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Queryable, Tx } from '../../db/types.ts';
import * as parking from '../../replication/to-host/parking.ts';
import type { CauseAnswer, RetryCauseBody } from './contract.ts';
import * as sql from './by-cause-sql.ts';

/** An act on a whole cause, as its row in `operator_act` has it. */
export interface CauseAct {
  readonly act: CauseActName;
  readonly cause: string;
  readonly by: string;
  readonly at: Date;
  readonly count: number;
  /** The last entry is due then; undefined for a skip. */
  readonly endsAt: Date | undefined;
  /** The state of the entries that it retried. */
  readonly state: string | null;
  /** Whether entries of it are not tried yet. */
  readonly isRunning: boolean;
}
type CauseActName = 'retryParkedCause' | 'skipParkedCause';

/**
 * Retries all entries of a cause at the worker's pace. While an earlier retry runs, it changes nothing.
 * @returns undefined where nothing was ever parked for this cause
 */
export function retryCause(db: Db, { cause, state, reason }: RetryCauseBody, by: string) {
  return actOnCause(db, 'retryParkedCause', { cause, by, reason, state }, async (tx, latest) => {
    if (latest?.isRunning && latest.state === state) return { count: 0, endsAt: latest.endsAt };
    return parking.retryCause(tx, cause, state);
  });
}

/** Skips all open entries of a cause. @returns as `retryCause` */
export function skipCause(
  db: Db,
  { cause, reason }: { readonly cause: string; readonly reason: string },
  by: string,
): Promise<CauseAnswer | undefined> {
  return actOnCause(db, 'skipParkedCause', { cause, by, reason, state: 'open' }, async (tx) => ({
    count: await parking.skipCause(tx, cause, by, reason),
    endsAt: undefined,
  }));
}

interface Decided {
  readonly cause: string;
  readonly by: string;
  readonly reason: string;
  readonly state: 'open' | 'skipped';
}

interface Changed {
  readonly count: number;
  readonly endsAt: Date | undefined;
}

/** One change and one act in a transaction; operators act on a cause one after the other. */
function actOnCause(
  db: Db,
  act: CauseActName,
  { cause, by, reason, state }: Decided,
  change: (tx: Tx, latest: CauseAct | undefined) => Promise<Changed>,
): Promise<CauseAnswer | undefined> {
  return withTransaction(db, async (tx) => {
    await parking.lockCause(tx, cause);
    const latest = await findAct(tx, act, cause);
    const { count, endsAt } = await change(tx, latest);
    const remaining = await parking.countCause(tx, cause);
    const ends_at = endsAt?.toISOString() ?? null;
    if (count === 0) {
      if (!latest && remaining === 0) return undefined;
      const first = latest ? { by: latest.by, at: latest.at.toISOString(), count: latest.count } : null;
      return { cause, count, remaining, ends_at, first };
    }
    const after = { count, state, ends_at };
    await recordAct(tx, { by, act, subject: { kind: 'cause', id: cause }, reason, before: null, after });
    return { cause, count, remaining, ends_at, first: null };
  });
}

async function findAct(db: Queryable, act: CauseActName, cause: string): Promise<CauseAct | undefined> {
  const { rows } = await db.query<ActRow>(sql.latestCauseAct, [act, cause]);
  return rows.map(actOf)[0];
}

/** Retries of causes that still run. */
export async function runningRetries(db: Queryable): Promise<CauseAct[]> {
  const { rows } = await db.query<ActRow>(sql.runningRetries);
  return rows.map(actOf);
}

type ActRow = {
  readonly act: CauseActName;
  readonly cause: string;
  readonly by: string;
  readonly at: Date;
  readonly count: number;
  readonly ends_at: Date | null;
  readonly state: string | null;
  readonly is_running: boolean;
};

const actOf = ({ ends_at, is_running, ...row }: ActRow): CauseAct => ({
  ...row,
  endsAt: ends_at ?? undefined,
  isRunning: is_running,
});
