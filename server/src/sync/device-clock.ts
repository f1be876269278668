import type { DeviceClock } from '@tailgate/sync-protocol';
import type { Queue } from '../mutations/change.ts';

/**
 * What a device's clocks say against ours. Its own measurement counts: a frame may have lain in a dead zone for long.
 * Only, nothing arrives before it was sent. Whoever tells nothing, or nothing readable, is corrected by nothing.
 *
 * @param received when the frame came
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

/** A run of a device's monotonic clock, and when by ours it read 0. */
export interface Boot {
  readonly id: string;
  readonly at: Date;
}

/** The run that a reading is of; null where nothing was told, or nothing that a database could hold. */
export function bootOf({ bootId: id, serverNow, monotonicMs }: Queue['clock']): Boot | null {
  const at = new Date(serverNow - monotonicMs);
  const isStorable = id !== '' && id.isWellFormed() && !id.includes('\0') && Math.abs(at.getTime()) <= MOST_AWAY_MS;
  return isStorable ? { id, at } : null;
}

/** A hundred years from 1970: no device has run for longer, nor does it begin to. */
const MOST_AWAY_MS = 100 * 365 * 24 * 3_600_000;
