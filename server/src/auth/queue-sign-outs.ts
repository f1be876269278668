import { uuidArray } from '../db/arrays.ts';
import type { Queryable } from '../db/types.ts';
import { sessionState } from './rules.ts';
import { factsOf, type SessionRow } from './sessions.ts';
import { findQueueSessions } from './sql.ts';

/** The end of the session of a queue; times in ms since 1970. */
export interface SignOut {
  readonly at: number;
  /** The boot of the device that the server read while the session lived, and when its monotonic clock read 0. */
  readonly boot: { readonly id: string; readonly at: number } | null;
  /** The last reading of that boot while the session lived. */
  readonly readAt: number | null;
}

interface QueueSessionRow extends SessionRow, Record<string, unknown> {
  readonly client_id: string;
  readonly boot_id: string | null;
  readonly boot_at: Date | null;
  readonly clock_read_at: Date | null;
}

/**
 * Reads when queues were signed out, each by its own session. Other sessions of the same driver do not count.
 * @returns only those with an ended session, by queue
 */
export async function readSignOuts(
  db: Queryable,
  clientIds: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, SignOut>> {
  const { rows } = await db.query<QueueSessionRow>(findQueueSessions, [uuidArray(clientIds)]);
  const signOuts = new Map<string, SignOut>();
  for (const row of rows) {
    const state = sessionState(factsOf(row), now);
    const { client_id, boot_id: id, boot_at: at, clock_read_at: readAt } = row;
    const boot = id === null || at === null ? null : { id, at: at.getTime() };
    if (state.kind === 'ended')
      signOuts.set(client_id, { at: state.at.getTime(), boot, readAt: readAt?.getTime() ?? null });
  }
  return signOuts;
}
