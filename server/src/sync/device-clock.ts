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
