import type { Warning } from '@tailgate/sync-protocol';
import type { SignOut } from '../../auth/queue-sign-outs.ts';
import { CLOCK_TOLERANCE_MS } from '../../clock/server-clock.ts';
import type { Item, QueueItem } from '../item.ts';

/**
 * When an item was really recorded, in ms since 1970: its device's time corrected as its clocks were read last
 * (protocol.md, Time); within one boot by the monotonic clock, which never jumps. Never after its receipt, never before
 * the same queue's previous item, unless that one came while the server's clock was ahead (decision 97).
 */
export function editTimeOf(item: Item, queued: QueueItem, previous: number | null): number {
  const received = item.receivedAt.getTime();
  const measured = Math.min(measuredTime(item, queued), received);
  const isAhead = previous !== null && previous > received + CLOCK_TOLERANCE_MS;
  return isAhead ? measured : Math.max(measured, previous ?? 0);
}

/**
 * How far the clock of its device was behind ours when an item was recorded; ms, negative where it was ahead. What was kept
 * for review has no clocks any more, and its edit time says it.
 */
export function lagOf(item: Item): number {
  if (!item.capturedAt) return 0;
  const measured = item.queued ? measuredTime(item, item.queued) : (item.editTime ?? item.capturedAt).getTime();
  return measured - item.capturedAt.getTime();
}

function measuredTime(item: Item, { queue, bootId, monotonicMs }: QueueItem): number {
  const { clock } = queue;
  const captured = item.capturedAt?.getTime();
  if (bootId === clock.bootId) return Math.round(clock.serverNow - (clock.monotonicMs - monotonicMs));
  return captured === undefined
    ? item.receivedAt.getTime()
    : Math.round(captured + (clock.serverNow - clock.deviceNow));
}

/**
 * Whether an item that came by key was recorded after the session of its queue had ended, or may have been. A wall clock can
 * be set back by anybody. So "before" must be shown by a monotonic clock: the run that the server read while the session lived,
 * or one that began after its last reading and is read now. A queue has one run at a time.
 */
export function signOutWarnings(queued: QueueItem, editTime: number, end: SignOut | null): Warning[] {
  if (!queued.queue.byKey || !end || isBefore(queued, editTime, end)) return [];
  const message = 'this was recorded after the driver was signed out, or no clock shows that it was before';
  return [{ code: 'after_sign_out', path: '', message }];
}

function isBefore({ queue, bootId, monotonicMs }: QueueItem, editTime: number, end: SignOut): boolean {
  if (editTime > end.at || bootId === '') return false;
  if (bootId === end.boot?.id) return end.boot.at + monotonicMs <= end.at + readingErrorMs;
  if (bootId !== queue.clock.bootId) return false;
  const began = queue.clock.serverNow - queue.clock.monotonicMs;
  return end.readAt === null || began >= end.readAt - readingErrorMs;
}

/** A reading lies on the line for a while: so far its time can be from the truth. */
const readingErrorMs = 10_000;
