import { StartError } from '../runtime/start-error.ts';
import { notifyEpoch } from './notify-sql.ts';
import type { Queryable, Tx } from './types.ts';

/** The history of a PostgreSQL. A recovery and a fail-over begin a new timeline, and a new `initdb` a new cluster. */
export interface History {
  readonly cluster: string;
  readonly timeline: number;
}

export interface Epoch extends History {
  readonly epoch: number;
}

/**
 * The epoch in which this server starts (I9); the first start begins epoch 1.
 * @throws StartError where the database has another history than its newest epoch. Accepted changes may be missing
 * then, and an operator must confirm it first
 */
export async function ensureEpoch(db: Queryable): Promise<number> {
  const now = await readHistory(db);
  const newest = (await readNewest(db)) ?? (await beginFirst(db, now));
  if (newest.cluster === now.cluster && newest.timeline === now.timeline) return newest.epoch;
  throw new StartError(
    `this database has been restored or failed over (${difference(newest, now)}): ` +
      'make that known with npm run ops -- restored, then start again',
  );
}

/** The host's sequence has five digits for an epoch (architecture.md). */
export const LAST_EPOCH = 99_999;

/**
 * Begins the next epoch. Nothing compares with the old one any more, so an extra epoch does no harm.
 *
 * @param above an epoch that this database does not contain any more, because it began after the backup
 */
export async function beginEpoch(
  tx: Tx,
  reason: string,
  above = 0,
): Promise<{ before: Epoch | undefined; now: Epoch }> {
  // Two operators begin two epochs, in turn.
  await tx.query('lock table server_epoch in share row exclusive mode');
  const before = await readNewest(tx);
  const now = { ...(await readHistory(tx)), epoch: Math.max(before?.epoch ?? 0, above) + 1 };
  await tx.query('insert into server_epoch (epoch, cluster, timeline, reason) values ($1, $2, $3, $4)', [
    now.epoch,
    now.cluster,
    now.timeline,
    reason,
  ]);
  await tx.query(notifyEpoch);
  return { before, now };
}

/** Whether an operator has announced a restore within the last hour. */
export async function isJustRestored(db: Queryable): Promise<boolean> {
  const { rows } = await db.query(
    `select epoch from server_epoch where epoch > 1 and started_at > now() - interval '1 hour'`,
  );
  return rows.length > 0;
}

/** Describes the history in a row and the present one, for people. */
export function difference(before: History, now: History): string {
  return before.cluster === now.cluster
    ? `PostgreSQL is on timeline ${now.timeline}, it was on ${before.timeline}`
    : `PostgreSQL is cluster ${now.cluster}, it was ${before.cluster}`;
}

/**
 * Reads the timeline of the current WAL. The control file has a new timeline only after its first checkpoint, too late
 * for a start right after a fail-over.
 */
async function readHistory(db: Queryable): Promise<History> {
  const { rows } = await db.query<{ cluster: string; timeline: number }>(
    `select system_identifier::text as cluster,
            ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as timeline
       from pg_control_system()`,
  );
  const [history] = rows;
  if (!history) throw new Error('PostgreSQL reports no history of its timeline');
  return history;
}

async function readNewest(db: Queryable): Promise<Epoch | undefined> {
  const { rows } = await db.query<{ epoch: number; cluster: string; timeline: number }>(
    'select epoch, cluster, timeline from server_epoch order by epoch desc limit 1',
  );
  return rows[0];
}

/** Several servers may start for the first time together. */
async function beginFirst(db: Queryable, { cluster, timeline }: History): Promise<Epoch> {
  await db.query(
    `insert into server_epoch (epoch, cluster, timeline, reason) values (1, $1, $2, 'first start') on conflict do nothing`,
    [cluster, timeline],
  );
  return { epoch: 1, cluster, timeline };
}
