import type { DeviceClock } from '@tailgate/sync-protocol';
import type { Queue } from '../mutations/change.ts';

/**
 * The difference between a device's clocks and the server's. The device's own measurement counts, because a frame may
 * be late. A server time after the receipt is impossible and cut to it. A clock without readable times is not
 * corrected.
 *
 * @param received the time of the frame's receipt
 */
export function clockOf(clock: DeviceClock | undefined, received: Date): Queue['clock'] {
  const deviceNow = Date.parse(clock?.now ?? '');
  const measured = Date.parse(clock?.server_now ?? '');
  return {
    bootId: clock?.boot_id ?? '',
    monotonicMs: clock?.monotonic_ms ?? 0,
    deviceNow: Number.isNaN(deviceNow) ? received.getTime() : deviceNow,
    serverNow: Number.isNaN(measured) ? received.getTime() : Math.min(measured, received.getTime()),
  };
}

/** A run of a device's monotonic clock, with the server time at its zero. */
export interface Boot {
  readonly id: string;
  readonly at: Date;
}

/** The run of a clock reading; null where the device sent none, or none that the database can store. */
export function bootOf({ bootId: id, serverNow, monotonicMs }: Queue['clock']): Boot | null {
  const at = new Date(serverNow - monotonicMs);
  const isStorable =
    id !== '' && id.isWellFormed() && !id.includes('\0') && Math.abs(at.getTime()) <= MAX_DIFFERENCE_MS;
  return isStorable ? { id, at } : null;
}

/** A hundred years around 1970: no device has run for longer. */
const MAX_DIFFERENCE_MS = 100 * 365 * 24 * 3_600_000;
