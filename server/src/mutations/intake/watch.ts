import type { Log } from '../../runtime/log.ts';
import type { Answer } from '../apply/fold.ts';
import type { Item } from '../item.ts';

/** A change that has its answer. Moments are of `performance.now()`, in ms. */
export interface SettledChange {
  readonly item: Item;
  readonly answer: Answer;
  readonly takenAt: number;
}

/** Changes that shared a commit. */
export interface SettledBatch {
  readonly changes: readonly SettledChange[];
  readonly begunAt: number;
  readonly endedAt: number;
}

/** Whoever keeps figures or traces of what is taken in. Nothing waits for it, and it must not throw. */
export interface CommitWatch {
  settled(batch: SettledBatch): void;
  /** A batch whose senders will come again. */
  failed(items: number): void;
}

/** What became of a change, in one word. `out_of_step`: its queue has a gap, has forked or is not known. */
export type Result = 'applied' | 'duplicate' | 'quarantined' | 'out_of_step';

export function resultOf(answer: Answer): Result {
  if (answer.kind !== 'done') return 'out_of_step';
  const { outcome } = answer;
  if (outcome.result === 'reported') return outcome.duplicate ? 'duplicate' : 'applied';
  return outcome.result;
}

/**
 * One line a change, under the id that it has from the phone to the host's log: `mutation` here, one of `mutations` in
 * what the worker says of the stop. Who, where and what became of it; nothing of what was recorded.
 */
export function logChange(log: Log, { item, answer }: Omit<SettledChange, 'takenAt'>): void {
  const { id, name, source, actor, queued, meaning, requestId } = item;
  const outcome = answer.kind === 'done' ? answer.outcome : undefined;
  const command = meaning.kind === 'command' ? meaning : undefined;
  // Fields without a value are left out by the logger. Made for every change, whatever the level: nothing is spread.
  const line = {
    mutation: id,
    // An unreadable one may say anything there.
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
  // What only our own code or database refused is kept and answered; somebody has to look at it all the same.
  if (code === 'INTERNAL')
    log.error({ ...line, code, reason: outcome.reason }, 'a mutation went to quarantine for a fault of ours');
  else log.info({ ...line, code }, `a mutation ${item.release ? 'stays in' : 'went to'} quarantine`);
}
