import type { Act } from '../../acts/sql.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db, Queryable, Tx } from '../../db/types.ts';
import type { OpsCaller } from '../../wire/access.ts';
import { AppError } from '../../wire/errors.ts';
import * as sql from './acts-sql.ts';

/** The author and the time of an earlier act. */
export interface FirstAct {
  readonly by: string | null;
  readonly at: Date | string | null;
  /** Its operation; undefined for an edit on the host. */
  readonly act?: string;
}

/** An operator who acts, and the time of the latest decision of another one that the operator has read. */
export interface Actor {
  readonly caller: OpsCaller;
  readonly seen?: string | null | undefined;
}

/**
 * Runs an act in a transaction. Acts on one subject run one after the other, on all nodes: the second one reads what the
 * first one has done. A batch may commit meanwhile, because its connections are others.
 */
export function inTurn<Result>(
  db: Db,
  { kind, id }: Act['subject'],
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return withTransaction(db, async (tx) => {
    await tx.query(sql.lockSubject, [`${kind} ${id}`]);
    return work(tx);
  });
}

/** Waits for the acts on a larger subject, and keeps them away until the end of the transaction. */
export async function keepApart(tx: Tx, { kind, id }: Act['subject']): Promise<void> {
  await tx.query(sql.shareSubject, [`${kind} ${id}`]);
}

/** The latest of these acts on a subject, not before `since`; undefined where there is none. */
export async function latestAct(
  tx: Queryable,
  { kind, id }: Act['subject'],
  acts: readonly string[],
  since = new Date(0),
): Promise<FirstAct | undefined> {
  const { rows } = await tx.query<{ by: string; at: Date; act: string }>(sql.latestAct, [kind, id, acts, since]);
  return rows[0];
}

/**
 * A person never replaces the decision of another one unseen. Programs go on to replace it, as they always could.
 *
 * @throws AppError `DECIDED_BEFORE` with the first author, the time and the operation
 */
export function refuseSecond({ caller, seen }: Actor, first: FirstAct | undefined): void {
  if (caller.kind === 'machine' || !first || first.by === null || first.by === caller.id) return;
  const at = new Date(first.at ?? 0);
  if (seen != null && at.getTime() <= Date.parse(seen)) return;
  const { by, act } = first;
  throw new AppError('DECIDED_BEFORE', { data: { by, at: at.toISOString(), ...(act !== undefined && { act }) } });
}
