import type { Log } from '../../runtime/log.ts';
import type { Answer } from '../apply/fold.ts';
import type { Item } from '../change.ts';

/** An answered change. Times are of `performance.now()`, in ms. */
export interface SettledChange {
  readonly item: Item;
  readonly answer: Answer;
  readonly takenAt: number;
}

/** Changes in one commit. */
export interface SettledBatch {
  readonly changes: readonly SettledChange[];
  readonly begunAt: number;
  readonly endedAt: number;
}

/** Observes commits for figures and traces. Nothing waits for it, and it must not throw. */
export interface CommitWatch {
  settled(batch: SettledBatch): void;
  /** A failed batch; its senders will send again. */
  failed(items: number): void;
}

/** The outcome of a change. `out_of_step`: its queue has a gap, has forked or is unknown. */
export type Result = 'applied' | 'duplicate' | 'quarantined' | 'out_of_step';

export function resultOf(answer: Answer): Result {
  if (answer.kind !== 'done') return 'out_of_step';
  const { outcome } = answer;
  if (outcome.result === 'reported') return outcome.duplicate ? 'duplicate' : 'applied';
  return outcome.result;
}

/**
 * Logs one line for each change, under its id from the phone to the host: `mutation` here, one of `mutations` in the
 * worker's lines. The line has author, place and outcome, and no recorded content.
 */
export function logChange(log: Log, { item, answer }: Omit<SettledChange, 'takenAt'>): void {
  const { id, name, source, actor, queued, meaning, requestId } = item;
  const outcome = answer.kind === 'done' ? answer.outcome : undefined;
  const command = meaning.kind === 'command' ? meaning : undefined;
  // The logger omits fields without a value. This runs for every change at every level, so it spreads no objects.
  const line = {
    mutation: id,
    // An unreadable item may have any text there.
    name: meaning.kind === 'unreadable' ? undefined : name,
    source,
    employee: actor.kind === 'driver' ? actor.employee : undefined,
    queue: queued?.queue.clientId,
    seq: queued?.seq,
    reqId: requestId,
    route: command?.scope,
    stop: command?.stop,
    result: resultOf(answer),
    version: outcome && 'version' in outcome ? outcome.version : undefined,
  };
  if (outcome?.result !== 'quarantined') return log.debug(line, 'a change was taken in');
  const { code } = outcome;
  // A refusal by our own code or database needs a developer, although the item is safe in quarantine.
  if (code === 'INTERNAL')
    log.error({ ...line, code, reason: outcome.reason }, 'a mutation went to quarantine because of a server fault');
  else log.info({ ...line, code }, `a mutation ${item.release ? 'stays in' : 'went to'} quarantine`);
}
