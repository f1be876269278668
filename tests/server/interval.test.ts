import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Interval } from '../../server/src/runtime/interval.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const EVERY_MS = 1_000;

test('a run longer than the interval replaces the next one, and `stop` waits for it', async () => {
  const ends: (() => void)[] = [];
  const interval = new Interval({
    work: () => new Promise<void>((resolve) => ends.push(resolve)),
    everyMs: EVERY_MS,
    onError: () => expect.unreachable('the work does not fail'),
  });
  interval.start();
  interval.start();
  await vi.advanceTimersByTimeAsync(3 * EVERY_MS);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(ends).toHaveLength(2);

  let isStopped = false;
  const stopping = interval.stop().then(() => (isStopped = true));
  await vi.advanceTimersByTimeAsync(3 * EVERY_MS);
  expect({ runs: ends.length, isStopped, timers: vi.getTimerCount() }).toEqual({
    runs: 2,
    isStopped: false,
    timers: 0,
  });
  ends[1]?.();
  await stopping;
});

test('an error is reported and the next run comes as usual; calls during a run join it', async () => {
  const errors: unknown[] = [];
  let runs = 0;
  const interval = new Interval({
    work: async () => {
      throw new Error(`run ${++runs}`);
    },
    everyMs: EVERY_MS,
    onError: (error) => errors.push(String(error)),
  });
  await Promise.all([interval.run(), interval.run()]);
  interval.start();
  await vi.advanceTimersByTimeAsync(EVERY_MS);
  expect(errors).toEqual(['Error: run 1', 'Error: run 2']);
  await interval.stop();
});
