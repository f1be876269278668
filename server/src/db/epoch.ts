import { StartError } from '../runtime/start-error.ts';
import { isDistributed } from './distributed.ts';
import { notifyEpoch } from './notify-sql.ts';
import type { Queryable, Tx } from './types.ts';

/** The history of a PostgreSQL. A recovery and a fail-over begin a new timeline, and a new `initdb` a new cluster. */
export interface History {
  readonly cluster: string;
  readonly timeline: number;
  /** The same of the PostgreSQL with the tables of this cell, where that is another one; null elsewhere. */
  readonly node_cluster: string | null;
  readonly node_timeline: number | null;
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
  if (isSame(newest, now)) return newest.epoch;
  throw new StartError(
    `this database has been restored or failed over (${difference(newest, now)}): ` +
      'make that known with npm run ops -- restored, then start again',
  );
}

/** A cell that was distributed since has no node in its newest epoch: that is no other history. */
const isSame = (before: History, now: History): boolean =>
  before.cluster === now.cluster &&
  before.timeline === now.timeline &&
  (before.node_cluster === null ||
    (before.node_cluster === now.node_cluster && before.node_timeline === now.node_timeline));

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
  await save(tx, now, reason);
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
  if (before.cluster === now.cluster && before.timeline === now.timeline)
    return before.node_cluster === now.node_cluster
      ? `the node of this cell is on timeline ${now.node_timeline}, it was on ${before.node_timeline}`
      : `the node of this cell is cluster ${now.node_cluster}, it was ${before.node_cluster}`;
  return before.cluster === now.cluster
    ? `PostgreSQL is on timeline ${now.timeline}, it was on ${before.timeline}`
    : `PostgreSQL is cluster ${now.cluster}, it was ${before.cluster}`;
}

/**
 * Reads the timeline of the current WAL. The control file has a new timeline only after its first checkpoint, too late
 * for a start right after a fail-over.
 */
async function readHistory(db: Queryable): Promise<History> {
  const { rows } = await db.query<Pick<History, 'cluster' | 'timeline'>>(ownHistory);
  const [history] = rows;
  if (!history) throw new Error('PostgreSQL reports no history of its timeline');
  return {
    ...history,
    ...((await isDistributed(db)) ? await readNode(db) : { node_cluster: null, node_timeline: null }),
  };
}

const ownHistory = `select system_identifier::text as cluster,
            ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int as timeline
       from pg_control_system()`;

/** The same as one text, for `run_command_on_placements`, which wants the name of the shard: it is in the comment. */
export const nodeHistory = `select cluster || ' ' || timeline from (${ownHistory}) history /* %s */`;

/** Asks the node with the tables of this cell. */
async function readNode(db: Queryable): Promise<Pick<History, 'node_cluster' | 'node_timeline'>> {
  const { rows } = await db.query<{ result: string; success: boolean }>(
    `select result, success from run_command_on_placements('server_epoch', $1)`,
    [nodeHistory],
  );
  const [answer] = rows;
  if (!answer?.success) throw new Error(`the node of this cell does not report its history: ${answer?.result ?? ''}`);
  const [cluster = '', timeline = ''] = answer.result.split(' ');
  return { node_cluster: cluster, node_timeline: Number(timeline) };
}

/** A restored database may be of an earlier release, without columns of the node. */
async function readNewest(db: Queryable): Promise<Epoch | undefined> {
  const { rows } = await db.query<Epoch & Record<string, unknown>>(
    `select epoch, cluster, timeline, to_jsonb(e) ->> 'node_cluster' as node_cluster,
            (to_jsonb(e) ->> 'node_timeline')::int as node_timeline
       from server_epoch e order by epoch desc limit 1`,
  );
  return rows[0];
}

/** Several servers may start for the first time together. */
async function beginFirst(db: Queryable, history: History): Promise<Epoch> {
  const first = { epoch: 1, ...history };
  await save(db, first, 'first start');
  return first;
}

/** An earlier release has no columns of the node, and no cluster. */
async function save(db: Queryable, epoch: Epoch, reason: string): Promise<void> {
  await db.query(
    `insert into server_epoch (epoch, cluster, timeline, reason) values ($1, $2, $3, $4) on conflict do nothing`,
    [epoch.epoch, epoch.cluster, epoch.timeline, reason],
  );
  if (epoch.node_cluster === null) return;
  await db.query('update server_epoch set node_cluster = $2, node_timeline = $3 where epoch = $1', [
    epoch.epoch,
    epoch.node_cluster,
    epoch.node_timeline,
  ]);
}
