import type { LocalStop } from '@tailgate/client-sdk';
import { describe, expect, test } from 'vitest';
import { deliveryOf, returnCorrectionOf } from '../../server/web/driver/model/deliver.ts';
import type { OverageDraft, StopDraft } from '../../server/web/driver/model/draft.ts';
import { emptyDraft, isBegun, withLine, withReturn } from '../../server/web/driver/model/draft.ts';
import { missingAt } from '../../server/web/driver/model/missing.ts';
import { partPhotos, photosInput, wholePhotos } from '../../server/web/driver/model/stop-photos.ts';
import { missingSentence } from '../../server/web/driver/words/sentences.ts';
import { empties, goods, reason, stopOf } from './route-stop.ts';

const at = new Date('2026-11-23T12:00:00Z');
const keyOf = (stop: LocalStop, place = 0): string => stop.products[place]?.key ?? '';
const withPhotos: StopDraft = { ...emptyDraft, photos: ['door', 'dock'] };
const extra = (more: Partial<OverageDraft> = {}): OverageDraft => ({
  ...{ barcode: '4006381333931', code: '85', quantity: 1, comment: '', photos: [] },
  ...more,
});

describe('photos of a whole stop', () => {
  test('go with its first line, and change no count of it', () => {
    const stop = stopOf({ products: [goods('1', 11, { action_type: 'scan' }), goods('2', 4)] });
    expect(isBegun(withPhotos)).toBe(true);
    expect(deliveryOf(stop, withPhotos, at).products).toEqual([
      { key: keyOf(stop), delivered: 11, image_ids: ['door', 'dock'] },
    ]);
    const counted = withLine(withPhotos, keyOf(stop), { delivered: 11, scanned: 11, photos: ['label'] });
    expect(deliveryOf(stop, counted, at).products).toMatchObject([
      { delivered: 11, image_ids: ['label', 'door', 'dock'] },
    ]);
  });

  test('are named once where the line has them already', () => {
    const plan = { products: [goods('1', 11)] };
    const key = keyOf(stopOf(plan));
    const line = { id: '1', invoice: 'I1', n: 0, delivered: 11, image_ids: ['door', 'gate'] };
    const stop = stopOf(plan, { status: 'P', products: { [key]: line } });
    expect(deliveryOf(stop, withPhotos, at).products).toMatchObject([{ image_ids: ['door', 'gate', 'dock'] }]);
  });

  test('go with the first line that goes back where the stop has no goods', () => {
    const stop = stopOf({ collections: [empties('9', 4), empties('8', 2)] });
    const key = stop.collections[0]?.key;
    expect(deliveryOf(stop, withPhotos, at).collections).toEqual([{ key, image_ids: ['door', 'dock'] }]);
    expect(photosInput(stop, ['door'])).toEqual({
      collections: [{ id: '9', invoice: 'I1', updates: { image_ids: ['door'] } }],
    });
  });

  test('are shown apart from those of lines, returns and overage', () => {
    const stop = stopOf({ products: [goods('1', 11), goods('2', 4)], collections: [empties('9', 4)] });
    const less = withLine(withPhotos, keyOf(stop, 1), {
      delivered: 3,
      reason: { code: '20', comment: '', photos: ['crushed'] },
    });
    const draft: StopDraft = {
      ...withReturn(less, stop.collections[0]?.key ?? '', { returned: 4, photos: ['totes'] }),
      overage: [extra(), extra({ photos: ['box'] })],
    };
    expect(wholePhotos(stop, draft)).toEqual(['door', 'dock']);
    expect(partPhotos(stop, draft).map(({ part, key, photos }) => [part, key, photos])).toEqual([
      ['line', keyOf(stop, 1), ['crushed']],
      ['return', stop.collections[0]?.key, ['totes']],
      ['overage', '1', ['box']],
    ]);
  });

  test('of a delivered stop are those that its first line has', () => {
    const plan = { products: [goods('1', 11)] };
    const key = keyOf(stopOf(plan));
    const stop = stopOf(plan, {
      status: 'D',
      products: { [key]: { id: '1', invoice: 'I1', n: 0, delivered: 11, image_ids: ['door'] } },
    });
    expect(wholePhotos(stop, emptyDraft)).toEqual(['door']);
    expect(partPhotos(stop, emptyDraft)).toEqual([]);
  });
});

test('what goes back is counted again with its photos', () => {
  const stop = stopOf({ collections: [empties('9', 4)] }, { status: 'D' });
  const [line] = stop.collections;
  if (!line) throw new Error('the stop lacks its line');
  expect(returnCorrectionOf(stop, line, { returned: 3 })).toEqual({
    collections: [{ id: '9', invoice: 'I1', updates: { returned: 3 } }],
  });
  expect(returnCorrectionOf(stop, line, { returned: 3, photos: ['totes'] })).toEqual({
    collections: [{ id: '9', invoice: 'I1', updates: { returned: 3, image_ids: ['totes'] } }],
  });
});

test('an item outside the plan lacks what its code asks for', () => {
  const codes = [reason('85', 'OVERAGE', { requires_photo: true, requires_comment: true }), reason('86', 'OVERAGE')];
  const stop = stopOf({});
  const missing = (item: OverageDraft) => missingAt(stop, { ...emptyDraft, overage: [item] }, codes);
  expect(missing(extra())).toMatchObject([
    { kind: 'overage', asks: 'photo', place: 0 },
    { kind: 'overage', asks: 'comment', place: 0 },
  ]);
  expect(missingSentence(missing(extra()))).toBe('photo of 4006381333931 · comment on 4006381333931');
  expect(missing(extra({ comment: 'open box', photos: ['box'] }))).toEqual([]);
  expect(missing(extra({ code: '86' }))).toEqual([]);
});
