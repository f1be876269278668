import { recordAct } from '../../acts/sql.ts';
import type { Db, Queryable, Tx } from '../../db/types.ts';
import * as parking from '../../replication/to-host/parking.ts';
import { inTurn, refuseSecond, type Actor, type FirstAct } from '../acts/in-turn.ts';
import type { CauseAnswer, RetryCauseBody, SkipCauseBody } from './contract.ts';
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

interface Author extends Actor {
  readonly by: string;
}

/**
 * Retries all entries of a cause at the worker's pace. While an earlier retry runs, it changes nothing.
 * @returns undefined where nothing was ever parked for this cause
 * @throws AppError where another operator has skipped them all before
 */
export function retryCause(db: Db, { cause, state, reason }: RetryCauseBody, author: Author) {
  return actOnCause(db, 'retryParkedCause', { ...author, cause, reason, state }, async (tx, latest) => {
    if (isRetry(latest) && latest.isRunning && latest.state === state) return { count: 0, endsAt: latest.endsAt };
    return parking.retryCause(tx, cause, state);
  });
}

/**
 * Skips all open entries of a cause. @returns as `retryCause`
 * @throws AppError while a retry by another operator runs
 */
export function skipCause(db: Db, { cause, reason }: SkipCauseBody, author: Author): Promise<CauseAnswer | undefined> {
  return actOnCause(db, 'skipParkedCause', { ...author, cause, reason, state: 'open' }, async (tx, latest) => {
    if (isRetry(latest) && latest.isRunning) refuseSecond(author, latest);
    return { count: await parking.skipCause(tx, cause, author.by, reason), endsAt: undefined };
  });
}

const isRetry = (act: CauseAct | undefined): act is CauseAct => act?.act === 'retryParkedCause';

interface Decided extends Author {
  readonly cause: string;
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
  { cause, by, reason, state, ...author }: Decided,
  change: (tx: Tx, latest: CauseAct | undefined) => Promise<Changed>,
): Promise<CauseAnswer | undefined> {
  const subject = { kind: 'cause', id: cause } as const;
  return inTurn(db, subject, async (tx) => {
    const latest = await findAct(tx, cause);
    const { count, endsAt } = await change(tx, latest);
    const remaining = await parking.countCause(tx, cause);
    const ends_at = endsAt?.toISOString() ?? null;
    if (count === 0) {
      if (!latest && remaining === 0) return undefined;
      if (latest?.act !== act) refuseSecond(author, latest);
      const first = latest ? { by: latest.by, at: latest.at.toISOString(), count: latest.count } : null;
      return { cause, count, remaining, ends_at, first };
    }
    const after = { count, state, ends_at };
    await recordAct(tx, { by, act, subject, reason, before: null, after });
    return { cause, count, remaining, ends_at, first: null };
  });
}

async function findAct(db: Queryable, cause: string): Promise<CauseAct | undefined> {
  const { rows } = await db.query<ActRow>(sql.latestCauseAct, [cause]);
  return rows.map(actOf)[0];
}

/** The retry of the whole cause for which an entry waits. */
export async function findRetryOf(
  db: Queryable,
  { cause, nextTryAt, parkedAt }: parking.ParkedEntry,
): Promise<FirstAct | undefined> {
  const { rows } = await db.query<{ by: string; at: Date; act: string }>(sql.retryOfEntry, [
    cause,
    nextTryAt,
    parkedAt,
  ]);
  return rows[0];
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
