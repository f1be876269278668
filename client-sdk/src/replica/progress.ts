import type { Progress, QueueItem, Target } from '../queue/item.ts';
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
 * true, never earlier (I10). In shadow it ends without the host.
 */
export function progressAt(
  progress: Progress,
  target: Target | undefined,
  head: ScopeHead,
  now: number,
): Progress | undefined {
  if (!target || progress.at === 'waiting' || progress.at === 'quarantined') return undefined;
  const isOpen = progress.at === 'accepted';
  const version = isOpen && progress.epoch !== null && progress.epoch !== head.epoch ? head.version : progress.version;
  const evidence =
    progress.evidence === 'complete' || version > head.version
      ? progress.evidence
      : head.awaited && (head.awaited.includes(target.stop) ? 'awaited' : 'complete');
  const at =
    version <= (head.shadow_through ?? 0)
      ? 'shadow'
      : version <= head.hosted_through && !head.parked.includes(target.stop) && 'on_host';
  if (isOpen && at) return { at, version, since: now, accepted_at: progress.since, evidence };
  if ((!isOpen || progress.epoch === head.epoch) && evidence === progress.evidence) return undefined;
  const next = { ...progress, version, epoch: head.epoch, evidence };
  return next;
}
