import type { Edit, Evidence } from './evidence.ts';
import { hasAccounts } from './accounts.ts';
import { hasLateStop } from './fixture.ts';
import { members } from './members.ts';
import { timeText } from './moments.ts';

/** In some worlds phones are set back to a backup, continue on a second phone, or lose stored changes. */
export const hasCopies = (seed: number): boolean => seed % 3 === 2 && !hasAccounts(seed) && !hasLateStop(seed);

/** A stored change that a phone can no longer read. */
export interface Loss {
  readonly employee: string;
  readonly clientId: string;
  readonly seq: number;
  readonly id: string;
}

/** The storage of phones as the world changed it. */
export class Copies {
  /** How many copies of a driver's storage have come into use, by employee: backups and second phones. */
  readonly count = new Map<string, number>();
  readonly losses: Loss[] = [];

  ofDriver(employee: string): number {
    return this.count.get(employee) ?? 0;
  }

  /** Whether a phone of the driver may lack what the driver recorded. */
  has(employee: string): boolean {
    return this.count.has(employee) || this.hasLosses(employee);
  }

  hasLosses(employee: string): boolean {
    return this.losses.some((loss) => loss.employee === employee);
  }

  /** Whether one phone could no longer read it. Its copy may send it later, behind the items that follow it. */
  hasLost(id: string): boolean {
    return this.losses.some((loss) => loss.id === id);
  }

  add(employee: string): void {
    this.count.set(employee, this.ofDriver(employee) + 1);
  }
}

/**
 * The order in which the server received one phone's changes. A copy may continue in another queue, so sequences count
 * within a queue only (docs/protocol.md, The queue).
 *
 * @param edits of one phone, in the order of its diary
 */
export function wrongOrder(edits: readonly Edit[]): string[] {
  const wrong: string[] = [];
  for (const [i, later] of edits.entries())
    for (const edit of edits.slice(0, i)) {
      const isSameQueue = edit.clientId === later.clientId;
      if (edit.receivedAt > later.receivedAt)
        wrong.push(`${later.id} was recorded after ${edit.id}, and received before: ${timeText(later.receivedAt)}`);
      if (isSameQueue && Number(edit.seq) > Number(later.seq))
        wrong.push(`${later.id} was recorded after ${edit.id}, and comes before it in its queue`);
      if (isSameQueue && edit.editTime > later.editTime)
        wrong.push(`${later.id} follows ${edit.id} in its queue, and has an earlier edit time`);
    }
  return wrong;
}

/** A driver has one queue, and at most one more for each copy of the storage. */
export function wrongQueues(edits: readonly Edit[], { drivers, copies }: Evidence): string[] {
  return [...new Set(drivers.map(({ employee }) => employee))].flatMap((employee) => {
    const queues = new Set(edits.filter((edit) => edit.employee === employee).map(({ clientId }) => clientId)).size;
    const most = 1 + copies.ofDriver(employee);
    return queues > most ? [`${employee} has ${queues} queues, and ${most - 1} copies of the storage`] : [];
  });
}

/** Forks happen to copied phones only. A phone declares what it lost, and nothing that the server has. */
export async function wrongIncidents(edits: readonly Edit[], { db, drivers, copies }: Evidence): Promise<string[]> {
  const { rows } = await db.query<{
    readonly kind: string;
    readonly employee: string;
    readonly client_id: string;
    readonly details: string;
  }>('select kind, employee, client_id, details::text as details from incident where employee = any($1)', [
    drivers.map(({ employee }) => employee),
  ]);
  const wrong: string[] = [];
  const declared = rows.flatMap(({ kind, employee, client_id: clientId, details }) => {
    if (kind !== 'items_gone') {
      const isCopied = copies.ofDriver(employee) > 0;
      // An item that one phone lost may arrive from its copy. The item behind it has another link then.
      const isExplained =
        isCopied && (kind === 'queue_forked' || (kind === 'chain_broken' && copies.hasLosses(employee)));
      if (!isExplained) wrong.push(`an incident was recorded: ${kind}`);
      return [];
    }
    const { from, to } = members(JSON.parse(details), 'the details of an incident');
    return [{ clientId, from: Number(from), to: Number(to) }];
  });
  const isIn = (seq: number | null, { from, to }: { readonly from: number; readonly to: number }): boolean =>
    seq !== null && seq >= from && seq <= to;
  for (const range of declared) {
    const ofQueue = edits.filter(({ clientId }) => clientId === range.clientId);
    for (const { id, seq } of ofQueue)
      if (isIn(seq, range)) wrong.push(`${id} is declared lost by its phone, and the ledger has it`);
    if (!copies.losses.some(({ clientId, seq }) => clientId === range.clientId && isIn(seq, range)))
      wrong.push(`a phone has declared ${range.from} to ${range.to} lost, and has lost nothing there`);
  }
  for (const { clientId, seq, employee } of copies.losses) {
    const ofQueue = edits.filter((edit) => edit.clientId === clientId);
    const isPassed = ofQueue.some((edit) => Number(edit.seq) > seq) && !ofQueue.some((edit) => edit.seq === seq);
    if (isPassed && !declared.some((range) => range.clientId === clientId && isIn(seq, range)))
      wrong.push(`${employee} has lost item ${seq}, later ones are in the ledger, and the phone has declared no loss`);
  }
  return wrong;
}
