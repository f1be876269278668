import { expect, test } from 'vitest';
import {
  countsCorrectionOf,
  countsOf,
  isOnPallets,
  returnTally,
  withCounts,
} from '../../server/web/driver/model/counts.ts';
import { deliveryOf } from '../../server/web/driver/model/deliver.ts';
import { draftOf, emptyDraft, withLine } from '../../server/web/driver/model/draft.ts';
import { missingAt } from '../../server/web/driver/model/missing.ts';
import { empties, goods, stopOf } from './route-stop.ts';

const at = new Date('2026-11-23T12:00:00Z');
const plan = { collections: [{ ...empties('9', 4), count_in_totes: true }, empties('9', 2), empties('8', 3)] };
const stop = stopOf(plan);
const keys = stop.collections.map(({ key }) => key);
const [first = '', second = '', third = ''] = keys;

test('a count begins at the planned number, and the driver’s number wins', () => {
  const draft = withCounts(emptyDraft, { [second]: 0 });
  expect(countsOf(stop, draft).map(({ shown, hasCount }) => [shown, hasCount])).toEqual([
    [4, false],
    [0, true],
    [3, false],
  ]);
});

test('a tally counts lines without a number, and totes by themselves', () => {
  expect(returnTally(stop, emptyDraft)).toEqual({ planned: 9, back: 0, uncounted: 9, totes: 0, plannedTotes: 4 });
  const counted = withCounts(emptyDraft, { [first]: 5, [second]: 0, [third]: 3 });
  expect(returnTally(stop, counted)).toEqual({ planned: 9, back: 8, uncounted: 0, totes: 5, plannedTotes: 4 });
});

test('a count keeps the photos of its line, survives storage, and is recorded as complete', () => {
  const before = { ...emptyDraft, returns: { [first]: { returned: 1, photos: ['P'.repeat(16)] } } };
  const draft = draftOf(JSON.parse(JSON.stringify(withCounts(before, { [first]: 5, [second]: 0 }))));
  expect(deliveryOf(stop, draft, at).collections).toEqual([
    { key: first, returned: 5, accounting_complete: true, image_ids: ['P'.repeat(16)] },
    { key: second, returned: 0, accounting_complete: true },
  ]);
});

test('a correction names every line, so that the second of two equal ones is the second', () => {
  const delivered = stopOf(plan, { status: 'D' });
  expect(countsCorrectionOf(delivered, { [first]: 0, [second]: 2, [third]: 0 })).toEqual({
    collections: [
      { id: '9', invoice: 'I1' },
      { id: '9', invoice: 'I1', updates: { returned: 2 } },
      { id: '8', invoice: 'I1' },
    ],
  });
});

test('pallets and pieces taken back are recorded with their line', () => {
  const pallets = stopOf({ products: [goods('1', 12, { section: 'PALLETS', container_type: 'BLUE PALLET' })] });
  const [line] = pallets.products;
  if (!line) throw new Error('the stop has no line');
  expect(isOnPallets(line)).toBe(true);
  const draft = draftOf({ ...withLine(emptyDraft, line.key, { delivered: 12, pallets: 2, returned: 1 }) });
  expect(deliveryOf(pallets, draft, at).products).toEqual([
    { key: line.key, delivered: 12, osd_data: [], delivered_pallets: 2, returned: 1, accounting_complete: true },
  ]);
});

test('a line that the office wants counted is missing until it is, also where it is as planned', () => {
  const toCount = stopOf({ products: [goods('1', 7, { action_type: 'count' })] });
  const [line] = toCount.products;
  if (!line) throw new Error('the stop has no line');
  expect(missingAt(toCount, emptyDraft, []).map(({ kind }) => kind)).toEqual(['count', 'signature']);
  const counted = withLine(emptyDraft, line.key, { delivered: 7 });
  expect(missingAt(toCount, counted, []).map(({ kind }) => kind)).toEqual(['signature']);
  expect(deliveryOf(toCount, counted, at).products).toMatchObject([{ action: { updates: { delivered: 7 } } }]);
});
