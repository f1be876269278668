import { describe, expect, test } from 'vitest';
import { clockOf } from '../../../server/src/sync/device-clock.ts';

const received = new Date('2026-11-20T16:02:11.000Z');
const at = (ms: number): string => new Date(received.getTime() + ms).toISOString();
const clock = { now: '2026-11-23T08:00:00.000Z', boot_id: 'b', monotonic_ms: 5_000 };
const serverNow = (server_now?: string): number =>
  clockOf({ ...clock, ...(server_now !== undefined && { server_now }) }, received).serverNow - received.getTime();

describe('the clocks that a device reports', () => {
  test('a frame’s time of arrival is used as its time of sending if the device has no measurement', () => {
    expect(serverNow()).toBe(0);
    expect(clockOf(clock, received)).toMatchObject({
      bootId: 'b',
      monotonicMs: 5_000,
      deviceNow: Date.parse(clock.now),
    });
  });

  test('a measured time is used, however long the frame was in transit', () => {
    expect(serverNow(at(-60_000))).toBe(-60_000);
  });

  test('the time of sending is never after the arrival', () => {
    expect(serverNow(at(30_000))).toBe(0);
  });

  test('an unreadable clock has no effect', () => {
    expect(serverNow('soon')).toBe(0);
    expect(clockOf(undefined, received)).toEqual({
      bootId: '',
      monotonicMs: 0,
      deviceNow: received.getTime(),
      serverNow: received.getTime(),
    });
  });
});
