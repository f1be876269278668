import type { Evidence, Progress, QueueItem, Target } from '../queue/item.ts';
import type { ScopeHead } from './scope-state.ts';

/** Whether the local documents already contain this change, so that the view must not apply it again. */
export function isContained({ progress }: QueueItem, head: ScopeHead | undefined): boolean {
  if (progress.at === 'waiting') return false;
  if (progress.at !== 'accepted') return true;
  if (!head) return false;
  // Versions of another epoch cannot be compared. The server has accepted the change, and its documents are newer (I9).
  return (progress.epoch !== null && progress.epoch !== head.epoch) || head.version >= progress.version;
}

/**
 * The next progress of a change when its route is at `head`; undefined where it stays the same. In a new epoch, the
 * fetched state counts as containing the change. It is on the host when all of that is: perhaps reported later than
 * true, never earlier (I10).
 */
export function progressAt(
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
  if (!isKnown && isHosted) return { at: 'on_host', version, since: now, accepted_at: progress.since, evidence };
  if (epoch === head.epoch && evidence === progress.evidence) return undefined;
  return isKnown ? { ...progress, evidence } : { ...progress, version, epoch: head.epoch, evidence };
}

const evidenceOf = (stop: number, { awaited }: ScopeHead): Evidence =>
  awaited && (awaited.includes(stop) ? 'awaited' : 'complete');
