import type { RouteKey } from '@tailgate/sync-protocol';
import type { Queryable, Tx } from '../../db/types.ts';
import * as sql from './parking-sql.ts';

/**
 * Rows that the host refuses, and their further course (architecture.md, How rows reach the host):
 *
 *   parked ──a try succeeds──► gone            parked ──skip──► skipped (never on the host; nothing waits for it)
 *     ▲ │ fails: later again                                      │ retry, or the next change of the same row
 *     └─┘                                      parked ◄───────────┘
 *
 * A stop is all or nothing: one entry covers all of its rows. While it exists, no receipt is `on_host` (I10).
 */
export interface ParkedEntry {
  readonly id: string;
  /**
   * RTSTUP covers a stop with all of its rows, RTHDRP a route's own row; other files have rows that replicate on their
   * own.
   */
  readonly file: string;
  /** Facility, route, week and stop, or the row's own key, joined by `/`. */
  readonly key: string;
  /** Undefined for rows that belong to no route. */
  readonly route: RouteKey | undefined;
  /** Undefined for a route's own row, too. */
  readonly stop: number | undefined;
  readonly version: number;
  /** Blank where the host refused nothing: a close that waits for its parked stops. */
  readonly sqlstate: string;
  readonly reason: string;
  /** The rejected rows as JSON; blank where they could not be rendered. */
  readonly payload: string;
  readonly attempts: number;
  readonly parkedAt: Date;
  readonly nextTryAt: Date;
  /** File, SQLSTATE and the reason without its values. */
  readonly cause: string;
  readonly skipped: { readonly at: Date; readonly by: string; readonly reason: string } | undefined;
  /** Position in the list, to the microsecond. */
  readonly position: string;
}

export interface ParkedQuery {
  readonly state: 'open' | 'skipped' | 'all';
  readonly cause: string | undefined;
  readonly limit: number;
  /** The position and id of the entry before. */
  readonly after: readonly [position: string, id: string] | undefined;
}

export async function listParked(db: Queryable, { state, cause, limit, after }: ParkedQuery): Promise<ParkedEntry[]> {
  const skipped = state === 'all' ? null : state === 'skipped';
  const values = [skipped, after?.[0] ?? null, after?.[1] ?? null, limit, cause ?? null];
  const { rows } = await db.query<ParkedRow>(sql.listParked, values);
  return rows.map(entryOf);
}

export async function findParked(db: Queryable, id: string): Promise<ParkedEntry | undefined> {
  const { rows } = await db.query<ParkedRow>(sql.findParked, [id]);
  return rows[0] && entryOf(rows[0]);
}

/** Makes an entry due at once: a worker's next sweep, within seconds, tries it. A skipped entry counts again. */
export async function retryParked(db: Queryable, id: string): Promise<void> {
  await db.query(sql.retryParked, [id]);
}

/** A person decides that the host does without it. A waiting close goes out; RHOPEN still counts the entry. */
export async function skipParked(db: Queryable, id: string, by: string, reason: string): Promise<void> {
  await db.query(sql.skipParked, [id, by, reason]);
}

/**
 * Retried entries of one cause a second. Workers find at most a sweep's worth of them due at once, and write them by
 * their few lanes; changes of drivers go between.
 */
const RETRIES_A_SECOND = 20;

export interface RetriedCause {
  readonly count: number;
  /** The last of them is due then. */
  readonly endsAt: Date | undefined;
}

/** Makes all entries of a cause due, one after the other. */
export async function retryCause(tx: Tx, cause: string, state: 'open' | 'skipped'): Promise<RetriedCause> {
  const values = [cause, state === 'skipped', RETRIES_A_SECOND];
  const { rows } = await tx.query<{ count: number; ends_at: Date | null }>(sql.retryCause, values);
  return { count: rows[0]?.count ?? 0, endsAt: rows[0]?.ends_at ?? undefined };
}

/** A person decides that the host does without all open entries of a cause. @returns their number */
export async function skipCause(tx: Tx, cause: string, by: string, reason: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(sql.skipCause, [cause, false, by, reason]);
  return rows[0]?.count ?? 0;
}

/** Open entries of a cause. */
export async function countCause(db: Queryable, cause: string): Promise<number> {
  const { rows } = await db.query<{ remaining: number }>(sql.countCause, [cause]);
  return rows[0]?.remaining ?? 0;
}

type ParkedRow = {
  parked_id: string;
  file: string;
  key: string;
  facility: string | null;
  route_id: string | null;
  week_end: string | null;
  stop_id: number | null;
  version: number;
  sqlstate: string;
  reason: string;
  payload: string;
  attempts: number;
  parked_at: Date;
  next_try_at: Date;
  skipped_at: Date | null;
  skipped_by: string | null;
  skip_reason: string | null;
  cause: string;
  position: string;
};

function entryOf(row: ParkedRow): ParkedEntry {
  const { facility, route_id: id, week_end, skipped_at: at } = row;
  return {
    id: row.parked_id,
    file: row.file,
    key: row.key,
    route: facility === null || id === null || week_end === null ? undefined : { facility, id, week_end },
    stop: row.stop_id ?? undefined,
    version: row.version,
    sqlstate: row.sqlstate,
    reason: row.reason,
    payload: row.payload,
    attempts: row.attempts,
    parkedAt: row.parked_at,
    nextTryAt: row.next_try_at,
    skipped: at === null ? undefined : { at, by: row.skipped_by ?? '', reason: row.skip_reason ?? '' },
    cause: row.cause,
    position: row.position,
  };
}
