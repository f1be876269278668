import { describe, expect, test } from 'vitest';
import { clockOf } from '../../../server/src/sync/device-clock.ts';

const received = new Date('2026-11-20T16:02:11.000Z');
const at = (ms: number): string => new Date(received.getTime() + ms).toISOString();
const clock = { now: '2026-11-23T08:00:00.000Z', boot_id: 'b', monotonic_ms: 5_000 };
const serverNow = (server_now?: string): number =>
  clockOf({ ...clock, ...(server_now !== undefined && { server_now }) }, received).serverNow - received.getTime();

describe('what a device says of its clocks', () => {
  test('a frame counts as sent when it arrived, where the device has not measured', () => {
    expect(serverNow()).toBe(0);
    expect(clockOf(clock, received)).toMatchObject({
      bootId: 'b',
      monotonicMs: 5_000,
      deviceNow: Date.parse(clock.now),
    });
  });

  test('what it has measured counts, however long the frame was under way', () => {
    expect(serverNow(at(-60_000))).toBe(-60_000);
  });

  test('nothing arrives before it was sent', () => {
    expect(serverNow(at(30_000))).toBe(0);
  });

  test('what cannot be read corrects nothing', () => {
    expect(serverNow('soon')).toBe(0);
    expect(clockOf(undefined, received)).toEqual({
      bootId: '',
      monotonicMs: 0,
      deviceNow: received.getTime(),
      serverNow: received.getTime(),
    });
  });
});
