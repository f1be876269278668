import type { Progress, QueueItem } from '../queue/item.ts';
import type { ScopeHead } from './scope-state.ts';

/** Whether the documents at hand already hold this change, so that it must not be laid over them again. */
export function isContained({ progress }: QueueItem, head: ScopeHead | undefined): boolean {
  if (progress.at === 'waiting') return false;
  if (progress.at !== 'accepted') return true;
  if (!head) return false;
  // A number of another epoch says nothing; the server has taken the change, and its documents are the newer word (I9).
  return progress.epoch !== null && progress.epoch !== head.epoch ? true : head.version >= progress.version;
}

/**
 * What a change becomes when its route stands at `head`; undefined where it stays what it is. In a new epoch it counts
 * as contained in what was fetched, so it is on the host when all of that is: later than it may have been, never earlier
 * (I10).
 */
export function standingAt({ progress, target }: QueueItem, head: ScopeHead, now: number): Progress | undefined {
  if (progress.at !== 'accepted' || !target) return undefined;
  const elsewhere = progress.epoch !== null && progress.epoch !== head.epoch;
  const version = elsewhere ? head.version : progress.version;
  if (version <= head.hosted_through && !head.parked.includes(target.stop))
    return { at: 'on_host', version, since: now };
  if (progress.epoch === head.epoch) return undefined;
  return { ...progress, version, epoch: head.epoch };
}
