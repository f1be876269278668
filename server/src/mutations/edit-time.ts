import type { Item, QueueItem } from './item.ts';

/**
 * When an item was really recorded, in ms since 1970: its device's time corrected as its clocks were read last
 * (protocol.md, Time); within one boot by the monotonic clock, which never jumps. Never after its receipt, never before
 * the same queue's previous item.
 */
export function editTimeOf(item: Item, queued: QueueItem, previous: number | null): number {
  return Math.max(Math.min(measuredTime(item, queued), item.receivedAt.getTime()), previous ?? 0);
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
