import type { Evidence, Progress, QueueItem, Target } from '../queue/item.ts';
import type { ScopeHead } from './scope-state.ts';

/** Whether the documents at hand already hold this change, so that it must not be laid over them again. */
export function isContained({ progress }: QueueItem, head: ScopeHead | undefined): boolean {
  if (progress.at === 'waiting') return false;
  if (progress.at !== 'accepted') return true;
  if (!head) return false;
  // A number of another epoch says nothing; the server has taken the change, and its documents are the newer word (I9).
  return (progress.epoch !== null && progress.epoch !== head.epoch) || head.version >= progress.version;
}

/**
 * What a change becomes when its route stands at `head`; undefined where it stays what it is. In a new epoch it counts
 * as contained in what was fetched, so it is on the host when all of that is: later than it may have been, never earlier
 * (I10).
 */
export function standingAt(
  progress: Progress,
  target: Target | undefined,
  head: ScopeHead,
  now: number,
): Progress | undefined {
  if (!target || progress.at === 'waiting' || progress.at === 'quarantined') return undefined;
  const isKnown = progress.at === 'on_host';
  const epoch = isKnown ? head.epoch : progress.epoch;
  const elsewhere = epoch !== null && epoch !== head.epoch;
  const version = elsewhere ? head.version : progress.version;
  const evidence =
    progress.evidence === 'complete' || version > head.version ? progress.evidence : evidenceOf(target.stop, head);
  const isHosted = version <= head.hosted_through && !head.parked.includes(target.stop);
  if (!isKnown && isHosted) return { at: 'on_host', version, since: now, evidence };
  if (epoch === head.epoch && evidence === progress.evidence) return undefined;
  return isKnown ? { ...progress, evidence } : { ...progress, version, epoch: head.epoch, evidence };
}

const evidenceOf = (stop: number, { awaited }: ScopeHead): Evidence =>
  awaited && (awaited.includes(stop) ? 'awaited' : 'complete');
