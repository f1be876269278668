import { isDataError } from '../../db/sqlstate.ts';
import { inTwoTrips } from '../../db/transaction.ts';
import type { Db, Tx } from '../../db/types.ts';
import type { Fault, Item, RouteCommit } from '../change.ts';
import type { Answer } from './fold.ts';
import { foldBatch } from './fold.ts';
import type { Rules } from './load.ts';
import { loadWorld } from './load.ts';
import { saveChanges } from './save.ts';
import type { Wakeups } from '../jobs/wakeups.ts';

export interface BatchContext {
  readonly db: Db;
  readonly rules: () => Rules;
  readonly wakeups: Wakeups;
  /** Sessions with a forked queue. */
  readonly forked: Pick<WeakSet<object>, 'has'>;
}

export interface BatchResult {
  /**
   * An answer for each item, in order; undefined where another transaction locks the item's route. The pipeline takes
   * those items again.
   */
  readonly answers: readonly (Answer | undefined)[];
  readonly commits: readonly RouteCommit[];
  readonly lockedScopes: ReadonlySet<string>;
}

/**
 * Applies a batch in one transaction. If PostgreSQL refuses the data itself (SQLSTATE 22, 23), the batch splits, in
 * order, until the culprit is alone. The culprit goes to quarantine and the rest passes. Any other failure is thrown:
 * it may pass, and the senders come again.
 *
 * @param committed called after each commit, before the next part begins
 */
export async function applyBatch(
  context: BatchContext,
  items: readonly Item[],
  committed: (result: BatchResult, items: readonly Item[]) => void,
): Promise<void> {
  await applyPart(context, items, new Map(), committed);
}

async function applyPart(
  context: BatchContext,
  items: readonly Item[],
  poisoned: ReadonlyMap<Item, Fault>,
  committed: (result: BatchResult, items: readonly Item[]) => void,
): Promise<void> {
  const result = await attempt(context, items, poisoned).catch((error: unknown) => {
    if (!isDataError(error)) throw error;
    return error;
  });
  if (!(result instanceof Error)) return committed(result, items);

  const [only] = items;
  if (items.length === 1 && only) {
    if (poisoned.has(only)) throw result; // the quarantine refuses it as well: a bug of ours, which gets no answer
    const fault: Fault = { code: 'INTERNAL', reason: `PostgreSQL refused it: ${result.message}`, details: [] };
    return applyPart(context, items, new Map([[only, fault]]), committed);
  }
  const half = Math.ceil(items.length / 2);
  await applyPart(context, items.slice(0, half), poisoned, committed);
  await applyPart(context, items.slice(half), poisoned, committed);
}

async function attempt(
  { db, rules, wakeups, forked }: BatchContext,
  items: readonly Item[],
  poisoned: ReadonlyMap<Item, Fault>,
): Promise<BatchResult> {
  const load = async (tx: Tx) => {
    const { world, lockedScopes } = await loadWorld(tx, items, rules());
    return { world, lockedScopes, ready: lockedScopes.size > 0 ? withoutLocked(items, lockedScopes) : items };
  };
  return inTwoTrips(db, load, (tx, { world, lockedScopes, ready }) => {
    const { answers, changes } = foldBatch(world, ready, poisoned, forked);
    const acts = ready.flatMap((item, index) => (item.act && isSaved(answers[index]) ? [item.act] : []));
    const { sent, result } = saveChanges(tx, changes, acts, wakeups);
    const answerOf = new Map(ready.map((item, index) => [item, answers[index]]));
    const resultOf = (commits: readonly RouteCommit[]): BatchResult => ({
      answers: items.map((item) => answerOf.get(item)),
      commits,
      lockedScopes,
    });
    return { sent, result: result.then(resultOf) };
  });
}

/** Whether the rules took an item. The quarantine keeps what they refuse, and the operator has done nothing. */
const isSaved = (answer: Answer | undefined): boolean =>
  answer?.kind === 'done' && answer.outcome.result !== 'quarantined';

/** Leaves out items of locked routes, and all later items of the same queue or lane. */
function withoutLocked(items: readonly Item[], lockedScopes: ReadonlySet<string>): Item[] {
  const waiting = new Set<string>();
  return items.filter((item) => {
    const lane = laneOf(item);
    if (item.meaning.kind === 'command' && lockedScopes.has(scopeOf(item) ?? '')) waiting.add(lane);
    return !waiting.has(lane);
  });
}

/** The lane in which an item keeps its order: its queue, else its report or its author. */
export function laneOf({ queued, source, actor, id, meaning }: Item): string {
  if (queued) return queued.queue.clientId;
  if (meaning.kind === 'report') return `${source}:report:${meaning.report.reportId}`;
  if (actor.kind === 'driver') return `${source}:${actor.employee}`;
  return `${source}:${id}`;
}

export function scopeOf({ meaning }: Item): string | null {
  return meaning.kind === 'command' ? meaning.scope : null;
}
