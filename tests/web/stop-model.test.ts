import type { LocalStop } from '@tailgate/client-sdk';
import { describe, expect, test } from 'vitest';
import { correctionOf, deliveryOf, recordedReason } from '../../server/web/driver/model/deliver.ts';
import type { StopDraft } from '../../server/web/driver/model/draft.ts';
import { draftOf, emptyDraft, isBegun, withLine } from '../../server/web/driver/model/draft.ts';
import { sectionsOf, tallyOf } from '../../server/web/driver/model/lines.ts';
import { missingAt } from '../../server/web/driver/model/missing.ts';
import { nextAfter, orderOf } from '../../server/web/driver/model/order.ts';
import { codeNamed, exceptionsFor, kindsOf, lossesOf } from '../../server/web/driver/model/reasons.ts';
import { empties, goods, reason, stopOf } from './route-stop.ts';

const codes = [
  reason('10', 'SHORTAGE'),
  reason('20', 'DAMAGE', { requires_photo: true }),
  reason('30', 'REFUSAL', { requires_comment: true }),
  reason('85', 'OVERAGE'),
  reason('99', 'OFFICE', { driver_visible: false }),
];
const at = new Date('2026-11-23T12:00:00Z');
const keyOf = (stop: LocalStop, place: number): string => stop.products[place]?.key ?? '';
const signed: StopDraft = { ...emptyDraft, signer: 'Ana', signature: 'A'.repeat(16) };

describe('the order of a route', () => {
  const stops = [
    stopOf({ id: 1 }, { status: 'D', updates: { end_delivery_time: '2026-11-23T08:00:00.000Z' } }),
    stopOf({ id: 2 }),
    stopOf({ id: 3 }, { status: 'S', updates: { skip_refuse_timestamp: '2026-11-23T09:00:00.000Z' } }),
    stopOf({ id: 4 }),
    stopOf({ id: 999, type: 'warehouse' }),
  ];

  test('shows the first pending stop, then the others, then the latest finished one', () => {
    const { next, later, done, home, finished, total, excepted } = orderOf({ stops });
    expect(next?.id).toBe(2);
    expect(later.map(({ id }) => id)).toEqual([4]);
    expect(done.map(({ id }) => id)).toEqual([3, 1]);
    expect(home?.id).toBe(999);
    expect({ finished, total, excepted }).toEqual({ finished: 2, total: 4, excepted: 1 });
  });

  test('leads to the warehouse once every customer is done', () => {
    const finished = stops.map((stop) => (stop.id === 999 ? stop : stopOf({ id: stop.id }, { status: 'D' })));
    expect(orderOf({ stops: finished }).next?.id).toBe(999);
    expect(nextAfter({ stops: finished }, 4)?.id).toBe(999);
  });

  test('goes on to the next pending stop, and back to a skipped-over one after the last', () => {
    expect(nextAfter({ stops }, 2)?.id).toBe(4);
    expect(nextAfter({ stops }, 4)?.id).toBe(2);
  });
});

describe('what is missing', () => {
  const stop = stopOf({
    products: [goods('1', 11), goods('2', 9, { action_type: 'scan', section: 'CIG/TOB' })],
    collections: [empties('9', 4, true)],
  });

  test('scans come first, then counts of what goes back, then the signature', () => {
    expect(missingAt(stop, emptyDraft, codes).map(({ kind }) => kind)).toEqual(['scan', 'return', 'signature']);
  });

  test('a line that was counted by hand needs no scan', () => {
    const draft = withLine(emptyDraft, keyOf(stop, 1), { delivered: 9 });
    expect(missingAt(stop, draft, codes).map(({ kind }) => kind)).toEqual(['return', 'signature']);
  });

  test('a reason asks for its photo and its comment', () => {
    const less = (code: string) =>
      withLine(signed, keyOf(stop, 0), { delivered: 9, reason: { code, comment: '', photos: [] } });
    const kinds = (code: string) =>
      missingAt(stop, less(code), codes).flatMap(({ kind }) => (kind === 'scan' || kind === 'return' ? [] : [kind]));
    expect(kinds('')).toEqual(['reason']);
    expect(kinds('10')).toEqual([]);
    expect(kinds('20')).toEqual(['photo']);
    expect(kinds('30')).toEqual(['comment']);
  });

  test('a count that nobody asks for is named, and optional', () => {
    const plan = { products: [goods('1', 11)], collections: [empties('8', 3), empties('9', 4, true)] };
    const returns = missingAt(stopOf(plan), emptyDraft, codes).filter(({ kind }) => kind === 'return');
    expect(returns).toMatchObject([
      { name: 'Item 8', optional: true },
      { name: 'Item 9', optional: false },
    ]);
    expect(missingAt(stopOf(plan, { status: 'D' }), emptyDraft, codes).map(({ kind }) => kind)).toEqual(['signature']);
  });

  test('a stop without goods needs counts of what goes back, and no signature', () => {
    const backhaul = stopOf({ collections: [empties('9', 4)] });
    expect(missingAt(backhaul, emptyDraft, codes)).toMatchObject([{ kind: 'return', name: 'Item 9', optional: false }]);
    const counted = { ...emptyDraft, returns: { [backhaul.collections[0]?.key ?? '']: { returned: 4 } } };
    expect(missingAt(backhaul, counted, codes)).toEqual([]);
  });
});

describe('counts', () => {
  const stop = stopOf({
    products: [goods('1', 11), goods('2', 9, { action_type: 'scan', section: 'CIG/TOB' }), goods('3', 2)],
  });

  test('lines are as planned, and as scanned where they are scanned', () => {
    expect(tallyOf(stop, emptyDraft)).toMatchObject({ planned: 22, delivered: 13, toScan: 9 });
    expect(tallyOf(stop, withLine(emptyDraft, keyOf(stop, 1), { scanned: 5 }))).toMatchObject({
      delivered: 18,
      toScan: 4,
    });
  });

  test('sections to scan come first', () => {
    expect(sectionsOf(stop, emptyDraft).map(({ id, isScan, planned }) => [id, isScan, planned])).toEqual([
      ['CIG/TOB', true, 9],
      ['CASES', false, 13],
    ]);
  });
});

describe('a delivery', () => {
  const stop = stopOf({
    products: [goods('1', 11), goods('2', 4), goods('2', 4)],
    collections: [empties('9', 4)],
  });

  test('names the counted lines, and leaves the others as planned', () => {
    const draft = withLine(signed, keyOf(stop, 0), {
      delivered: 9,
      reason: { code: '20', comment: ' wet ', photos: ['P'.repeat(16), 'Q'.repeat(16)] },
    });
    expect(deliveryOf(stop, draft, at)).toEqual({
      asPlanned: true,
      products: [
        {
          key: keyOf(stop, 0),
          delivered: 9,
          accounting_complete: true,
          osd_data: [
            {
              osd_code: '20',
              data: [
                { quantity: 2, comment: 'wet', images_id: 'P'.repeat(16) },
                { quantity: 0, images_id: 'Q'.repeat(16) },
              ],
            },
          ],
        },
      ],
      collections: [],
      end_delivery_time: at,
      store_emp_name: 'Ana',
      signature_id: 'A'.repeat(16),
    });
  });

  test('a correction names equal lines before it, so that the right one changes', () => {
    const second = stop.products[2];
    if (!second) throw new Error('the stop lacks its third line');
    const { products } = correctionOf(stop, second, withLine(emptyDraft, second.key, { delivered: 3 }));
    expect(products).toEqual([
      { id: '2', invoice: 'I1' },
      { id: '2', invoice: 'I1', updates: { delivered: 3, accounting_complete: true, osd_data: [] } },
    ]);
  });
});

describe('a correction of a line with two recorded reasons', () => {
  const damaged = { osd_code: '20', data: [{ quantity: 2, comment: 'wet', images_id: 'P'.repeat(16) }] };
  const short = { osd_code: '10', data: [{ quantity: 1, comment: 'one', images_id: 'Q'.repeat(16) }] };
  const plain = stopOf({ products: [goods('1', 11)] }, { status: 'D' });
  const [planned] = plain.products;
  if (!planned) throw new Error('the stop lacks its line');
  const group = ({ osd_code, data }: typeof damaged) => ({
    osd_id: null,
    osd_code,
    data: data.map((entry) => ({ ...entry, osd_parent: null, barcodes: '', quantity_type: null })),
  });
  const line = { ...planned, updates: { ...planned.updates, delivered: 8, osd_data: [damaged, short].map(group) } };
  const stop = { ...plain, products: [line] };
  const corrected = (delivered: number, why = recordedReason(line)) => {
    const { products } = correctionOf(
      stop,
      line,
      withLine(emptyDraft, line.key, { delivered, reason: why, pallets: 1 }),
    );
    return products?.[0]?.updates;
  };

  test('leaves both where neither the count nor the reason is touched', () => {
    expect(corrected(8)).toMatchObject({ delivered: 8, delivered_pallets: 1 });
    expect(corrected(8)).not.toHaveProperty('osd_data');
  });

  test('changes the first, and keeps the other with its photo', () => {
    expect(corrected(7)?.osd_data).toEqual([{ ...damaged, data: [{ ...damaged.data[0], quantity: 3 }] }, group(short)]);
    expect(corrected(8, { code: '30', comment: '', photos: [] })?.osd_data).toMatchObject([
      { osd_code: '30', data: [{ quantity: 2 }] },
      short,
    ]);
  });

  test('has one reason for all where the line lacks no more than the other one has', () => {
    expect(corrected(10)?.osd_data).toMatchObject([{ osd_code: '20', data: [{ quantity: 1 }] }]);
    expect(corrected(10)?.osd_data).toHaveLength(1);
  });
});

describe('a stored draft', () => {
  test('survives storage as it is', () => {
    const exception = { code: '03', comment: 'closed', photos: ['door'] };
    const draft = withLine({ ...signed, returns: { k: { returned: 3 } }, comment: 'dock', exception }, 'a', {
      scanned: 2,
      photos: ['x'],
    });
    expect(draftOf(JSON.parse(JSON.stringify(draft)))).toEqual(draft);
  });

  test('of another version loses only the members that do not fit', () => {
    expect(draftOf({ lines: { a: { delivered: -1, scanned: 2 }, b: 7 }, signer: 5, comment: 'dock' })).toEqual({
      ...emptyDraft,
      lines: { a: { scanned: 2 } },
      comment: 'dock',
    });
    expect(draftOf(undefined)).toEqual(emptyDraft);
    expect(isBegun(draftOf('text'))).toBe(false);
    expect(isBegun(draftOf({ exception: { code: '03' } }))).toBe(true);
    expect(isBegun(draftOf({ exception: 'closed' }))).toBe(false);
  });
});

describe('reasons', () => {
  test('a reason is named by its code, or by its number on the host; nothing names none', () => {
    const list = [reason('00', 'S'), reason('03', 'S')];
    expect(codeNamed(list, '3')?.code).toBe('03');
    expect(codeNamed(list, '0')?.code).toBe('00');
    expect(codeNamed(list, '')).toBeUndefined();
    expect(codeNamed(list, '  ')).toBeUndefined();
  });

  test('a driver sees the kinds of the list, without overage and without the office’s own', () => {
    expect(kindsOf(codes).map(({ category }) => category)).toEqual(['SHORTAGE', 'DAMAGE', 'REFUSAL']);
  });

  test('a skip takes reasons of type S and B, a refusal R and B', () => {
    const list = [
      reason('01', 'S', { stop_type: 'S' }),
      reason('10', 'R', { stop_type: 'R' }),
      reason('99', 'B', { stop_type: 'B' }),
    ];
    expect(exceptionsFor(list, 'S').map(({ code }) => code)).toEqual(['01', '99']);
    expect(exceptionsFor(list, 'R').map(({ code }) => code)).toEqual(['10', '99']);
  });

  test('losses of a stop are counted by kind', () => {
    const key = keyOf(stopOf({ products: [goods('1', 11)] }), 0);
    const stop = stopOf(
      { products: [goods('1', 11)] },
      {
        status: 'D',
        products: {
          [key]: { id: '1', invoice: 'I1', n: 0, delivered: 9, osd_data: [osd('20', 1), osd('20', 1)] },
        },
      },
    );
    expect(lossesOf(stop, codes)).toEqual([{ category: 'DAMAGE', quantity: 2 }]);
  });
});

const osd = (osd_code: string, quantity: number) => ({
  osd_id: null,
  osd_code,
  data: [{ osd_parent: null, comment: '', quantity, images_id: null, barcodes: '', quantity_type: null }],
});
