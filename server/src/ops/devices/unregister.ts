import { unregister } from '../../auth/unregister.ts';
import { withTransaction } from '../../db/transaction.ts';
import type { Db } from '../../db/types.ts';
import * as sql from './devices-sql.ts';

/**
 * Takes a registration back: every session ends, no password counts, and the employee may sign up again. What their queues
 * bring from now on goes to quarantine: an impostor's phone changes nothing, and nothing that a driver recorded is lost.
 *
 * @returns how many queues that are; undefined where nobody of that id is registered
 */
export function takeRegistrationBack(
  db: Db,
  employee: string,
  { by, reason }: { readonly by: string; readonly reason: string },
  now: Date,
): Promise<number | undefined> {
  return withTransaction(db, async (tx) => {
    // Queues before sessions, as who ties the two together locks them. Those that were tied meanwhile are seen afterwards.
    await tx.query(sql.lockQueuesOf, [employee]);
    if (!(await unregister(tx, employee, now))) return undefined;
    const { rowCount } = await tx.query(sql.holdQueues, [employee, by, reason, now]);
    return rowCount ?? 0;
  });
}
