import { expect, test } from 'vitest';
import { Lanes, type Waiting } from '../../../server/src/mutations/intake/lanes.ts';

interface Tap extends Waiting {
  readonly n: number;
}

const taps = (lane: string, count: number): Tap[] =>
  Array.from({ length: count }, (_, n) => ({ lane, n, scope: `route of ${lane}` }));

/** Batches one after the other, each released before the next. */
function batches(lanes: Lanes<Tap>, size: number, turn: number, count: number): string[][] {
  return Array.from({ length: count }, () => {
    const batch = lanes.nextBatch(size, turn, () => false);
    lanes.release(batch);
    return batch.map(({ lane, n }) => `${lane}${n}`);
  });
}

test('a lane that was served goes behind the others: two long queues do not delay a single tap', () => {
  const lanes = new Lanes<Tap>();
  lanes.add([...taps('A', 6), ...taps('B', 6), ...taps('C', 1), ...taps('D', 2)]);
  expect(batches(lanes, 4, 2, 4)).toEqual([
    ['A0', 'A1', 'B0', 'B1'],
    ['C0', 'D0', 'D1', 'A2'],
    ['B2', 'B3', 'A3', 'A4'],
    ['B4', 'B5', 'A5'],
  ]);
  expect(lanes.empty).toBe(true);
});

test('a tap that arrives later gets its turn after each waiting lane has had one', () => {
  const lanes = new Lanes<Tap>();
  lanes.add([...taps('A', 100), ...taps('B', 100)]);
  expect(batches(lanes, 2, 2, 1)).toEqual([['A0', 'A1']]);
  lanes.add(taps('C', 1));
  expect(batches(lanes, 2, 2, 3)).toEqual([
    ['B0', 'B1'],
    ['A2', 'A3'],
    ['C0', 'B2'],
  ]);
});
