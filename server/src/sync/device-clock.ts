import type { DeviceClock } from '@tailgate/sync-protocol';
import type { Queue } from '../mutations/change.ts';

/** What a device's clocks say against ours. Whoever tells nothing, or nothing readable, is corrected by nothing. */
export function clockOf(clock: DeviceClock | undefined, serverNow: Date): Queue['clock'] {
  const deviceNow = Date.parse(clock?.now ?? '');
  return {
    bootId: clock?.boot_id ?? '',
    monotonicMs: clock?.monotonic_ms ?? 0,
    deviceNow: Number.isNaN(deviceNow) ? serverNow.getTime() : deviceNow,
    serverNow: serverNow.getTime(),
  };
}
