import type { Item, QueueItem } from './item.ts';

/**
 * When an item was really recorded, in ms since 1970: its device's time corrected as its clocks were read last
 * (protocol.md, Time); within one boot by the monotonic clock, which never jumps. Never after its receipt, never before
 * the same queue's previous item.
 */
export function editTimeOf(item: Item, { queue, bootId, monotonicMs }: QueueItem, previous: number | null): number {
  const { clock } = queue;
  const received = item.receivedAt.getTime();
  const captured = item.capturedAt?.getTime();
  const measured =
    bootId === clock.bootId
      ? clock.serverNow - (clock.monotonicMs - monotonicMs)
      : captured === undefined
        ? received
        : captured + (clock.serverNow - clock.deviceNow);
  return Math.max(Math.min(Math.round(measured), received), previous ?? 0);
}
