import { StartError } from '../runtime/start-error.ts';
import type { Queryable, Tx } from './types.ts';

/** Which history of which PostgreSQL this is. A recovery and a fail-over begin a new timeline, a new `initdb` a new cluster. */
export interface History {
  readonly cluster: string;
  readonly timeline: number;
}

export interface Epoch extends History {
  readonly epoch: number;
}

/** Tells running servers that an epoch has begun; without content, and lost where nobody listens. */
export const epochChannel = 'tailgate_epoch';

/**
 * The epoch that this server starts in (I9); the first start begins epoch 1.
 * @throws StartError where the database has another history than its newest epoch: what was accepted may be missing, and
 * nothing may go on under the old numbers before an operator has said so
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

/** Begins the next epoch. Nothing of the old one is compared with it any more, so that it may be begun for nothing. */
export async function beginEpoch(tx: Tx, reason: string): Promise<{ before: Epoch | undefined; now: Epoch }> {
  // Two operators begin two epochs, one after the other.
  await tx.query('lock table server_epoch in share row exclusive mode');
  const before = await readNewest(tx);
  const now = { ...(await readHistory(tx)), epoch: (before?.epoch ?? 0) + 1 };
  await tx.query('insert into server_epoch (epoch, cluster, timeline, reason) values ($1, $2, $3, $4)', [
    now.epoch,
    now.cluster,
    now.timeline,
    reason,
  ]);
  await tx.query('select pg_notify($1, $2)', [epochChannel, '']);
  return { before, now };
}

/** Whether an operator has said within the last hour that this database was put back to an earlier state. */
export async function isJustRestored(db: Queryable): Promise<boolean> {
  const { rows } = await db.query(
    `select epoch from server_epoch where epoch > 1 and started_at > now() - interval '1 hour'`,
  );
  return rows.length > 0;
}

/** The history that a row names, against the one we see: for people. */
export function difference(before: History, now: History): string {
  return before.cluster === now.cluster
    ? `PostgreSQL is on timeline ${now.timeline}, it was on ${before.timeline}`
    : `PostgreSQL is cluster ${now.cluster}, it was ${before.cluster}`;
}

/**
 * The timeline is the one that is written to now: the control file tells a new one only after the first checkpoint on
 * it, and a server that starts right after a fail-over would not see it.
 */
async function readHistory(db: Queryable): Promise<History> {
  const { rows } = await db.query<{ cluster: string; timeline: number }>(
    `select system_identifier::text as cluster,
            ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as timeline
       from pg_control_system()`,
  );
  const [history] = rows;
  if (!history) throw new Error('PostgreSQL tells nothing of its history');
  return history;
}

async function readNewest(db: Queryable): Promise<Epoch | undefined> {
  const { rows } = await db.query<{ epoch: number; cluster: string; timeline: number }>(
    'select epoch, cluster, timeline from server_epoch order by epoch desc limit 1',
  );
  return rows[0];
}

/** Servers may make their first start together. */
async function beginFirst(db: Queryable, { cluster, timeline }: History): Promise<Epoch> {
  await db.query(
    `insert into server_epoch (epoch, cluster, timeline, reason) values (1, $1, $2, 'first start') on conflict do nothing`,
    [cluster, timeline],
  );
  return { epoch: 1, cluster, timeline };
}
