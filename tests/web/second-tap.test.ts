import { expect, test } from 'vitest';
import type { Tap } from '../../server/web/ui/second-tap.ts';
import { tapFilter } from '../../server/web/ui/second-tap.ts';

const first: Tap = { timeStamp: 1_000, clientX: 180, clientY: 600, detail: 1 };
const drawnAt = 900;

/** Whether each of several taps counts. */
const counted = (...taps: readonly Partial<Tap>[]): boolean[] => {
  const counts = tapFilter();
  return taps.map((tap) => counts({ ...first, ...tap }, drawnAt));
};

test('a tap at the same place within a third of a second is the second one of a double tap', () => {
  expect(counted({}, { timeStamp: 1_120, clientX: 186, clientY: 594 })).toEqual([true, false]);
});

test('a later tap, a tap elsewhere, a key and the first tap count', () => {
  expect(counted({}, { timeStamp: 1_350 })).toEqual([true, true]);
  expect(counted({}, { timeStamp: 1_120, clientY: 540 })).toEqual([true, true]);
  expect(counted({}, { timeStamp: 1_120, detail: 0 })).toEqual([true, true]);
});

test('of several taps in the rhythm of a double tap the first one counts, and the next one after a pause', () => {
  expect(counted({}, { timeStamp: 1_180 }, { timeStamp: 1_360 }, { timeStamp: 1_710 })).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

test('a tap from before the present act was drawn does not count, however slow the phone is', () => {
  const counts = tapFilter();
  expect(counts(first, drawnAt)).toBe(true);
  expect(counts({ ...first, timeStamp: 1_500 }, 1_900)).toBe(false);
  expect(counts({ ...first, timeStamp: 1_950 }, 1_900)).toBe(true);
});

test('a tap counts where the browser’s times of clicks and of the page differ', () => {
  const counts = tapFilter();
  expect(counts(first, drawnAt + 86_400_000)).toBe(true);
});
