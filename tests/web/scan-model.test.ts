import type { StopResult } from '@tailgate/sync-protocol';
import { lineKey } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import { deliveryOf } from '../../server/web/driver/model/deliver.ts';
import type { StopDraft } from '../../server/web/driver/model/draft.ts';
import { emptyDraft, withLine, withReturn } from '../../server/web/driver/model/draft.ts';
import type { Burst, InView } from '../../server/web/driver/model/scan.ts';
import {
  addOverage,
  afterFrame,
  afterKey,
  fatesOf,
  goneMs,
  matchCode,
  noBurst,
  overageAt,
  overageOf,
  scanTally,
  stopAtHand,
  withScan,
} from '../../server/web/driver/model/scan.ts';
import { empties, goods, reason, stopOf } from './route-stop.ts';

const credit = [reason('10', 'SHORTAGE'), reason('20', 'DAMAGE'), reason('85', 'OVERAGE'), reason('86', 'OVERAGE')];
const snuff = goods('110035', 2, { item_upc: '036000291452', action_type: 'scan', section: 'CIG/TOB' });
const milk = goods('100234', 1, { box_upc: '4006381333931' });
const cups = goods('120271', 19, { box_upc: '1001202710277' });
const here = stopOf({ id: 7, products: [snuff, milk], collections: [empties('900010', 3)] });

/** Stop 4 with 19 cups in the plan. */
const stopFour = (status: 'P' | 'D' | 'R', delivered = 19, code = '10') => {
  const less = 19 - delivered;
  const osd_data = less > 0 ? [{ osd_id: null, osd_code: code, data: [{ ...blankEntry, quantity: less }] }] : [];
  const result: StopResult = {
    status,
    updates: { end_delivery_time: '2026-11-23T10:34:00.000Z' },
    ...(status === 'D' && {
      products: { [lineKey('120271', 'I1', 0)]: { id: '120271', invoice: 'I1', n: 0, delivered, osd_data } },
    }),
  };
  return stopOf({ id: 4, products: [cups] }, result);
};
const blankEntry = { osd_parent: null, comment: '', images_id: null, barcodes: '', quantity_type: null };

const match = (code: string, draft: StopDraft = emptyDraft, others = [stopFour('D', 18)], stop = here) =>
  matchCode({ route: { stops: [...others, stop] }, stop, draft, credit }, code);

describe('the meaning of a code at a stop', () => {
  test('a line with open pieces, by barcode in any length or by item number', () => {
    for (const code of ['036000291452', '0036000291452', '110035'])
      expect(match(code)).toMatchObject({ kind: 'line', line: { id: '110035' }, scanned: 0 });
  });

  test('a case is its article where no line has the code of the case', () => {
    expect(match('10036000291459')).toMatchObject({ kind: 'line', line: { id: '110035' } });
  });

  test('of two lines with one code, the first with open pieces counts', () => {
    const two = stopOf({ id: 7, products: [milk, { ...milk, invoice: 'I2' }] });
    const first = match('4006381333931', emptyDraft, [], two);
    const second = match('4006381333931', withScan(emptyDraft, first), [], two);
    expect([first, second]).toMatchObject([{ line: { invoice: 'I1' } }, { line: { invoice: 'I2' } }]);
    const full = withScan(withScan(emptyDraft, first), second);
    expect(match('4006381333931', full, [], two)).toMatchObject({ kind: 'full', byHand: false });
  });

  test('a line that was counted by hand takes no scans', () => {
    const draft = withLine(emptyDraft, here.products[0]?.key ?? '', { delivered: 1 });
    expect(match('110035', draft)).toMatchObject({ kind: 'full', byHand: true, scanned: 1 });
  });

  test('something that goes back, by its item number', () => {
    const found = match('900010');
    expect(found).toMatchObject({ kind: 'return', returned: 0 });
    const key = here.collections[0]?.key ?? '';
    expect(withScan(emptyDraft, found).returns[key]).toEqual({ returned: 1 });
  });

  test('something that goes back from a delivered stop keeps its recorded count: its sheet corrects it', () => {
    const collections = [empties('900010', 3)];
    const key = lineKey('900010', 'I1', 0);
    const back = { [key]: { id: '900010', invoice: 'I1', n: 0, returned: 2 } };
    const stop = stopOf({ id: 7, collections }, { status: 'D', updates: {}, collections: back });
    const draft = withReturn(emptyDraft, key, { returned: 3 });
    const found = match('900010', draft, [], stop);
    expect(found).toMatchObject({ kind: 'return', byHand: true, returned: 2 });
    expect(withScan(emptyDraft, found)).toBe(emptyDraft);
  });

  test('an unplanned piece is missing at the stop that got less than planned', () => {
    const at = Date.parse('2026-11-23T10:34:00.000Z');
    expect(match('1001202710277')).toMatchObject({ kind: 'missing', stop: { id: 4 }, less: 1, at });
  });

  test('a piece that the customer refused or that was damaged is not missing', () => {
    expect(match('1001202710277', emptyDraft, [stopFour('D', 18, '20')])).toMatchObject({ kind: 'unknown' });
  });

  test('a piece beyond a full line is first sought at other stops', () => {
    const stop = stopOf({ id: 7, products: [{ ...cups, quantity: 0 }] });
    expect(match('1001202710277', emptyDraft, undefined, stop)).toMatchObject({ kind: 'missing', stop: { id: 4 } });
    expect(match('1001202710277', emptyDraft, [], stop)).toMatchObject({ kind: 'full', byHand: false });
  });

  test('an unplanned piece belongs to a later stop, else to none', () => {
    expect(match('1001202710277', emptyDraft, [stopFour('P')])).toMatchObject({ kind: 'later', stop: { id: 4 } });
    expect(match('1001202710277', emptyDraft, [stopFour('D')])).toEqual({ kind: 'unknown', name: 'Item 120271' });
    expect(match('4006381333948')).toEqual({ kind: 'unknown', name: '' });
    expect(match('')).toEqual({ kind: 'unknown', name: '' });
  });

  test('scanned pieces are what a delivery records', () => {
    const draft = withScan(emptyDraft, match('110035'));
    expect(scanTally(here, draft)).toEqual({ scanned: 1, planned: 2 });
    expect(deliveryOf(here, draft, new Date(0)).products).toMatchObject([
      { delivered: 1, action: { updates: { delivered: 1 } } },
    ]);
  });
});

describe('pieces outside the plan', () => {
  test('are overage items with the barcode, what became of them, and a count', () => {
    const once = addOverage([], overageOf(' 4006381-333948', 'left', 1));
    const items = addOverage(addOverage(once, overageOf('4006381333948', 'left', 2)), overageOf('X', 'back', 1));
    expect(deliveryOf(here, { ...emptyDraft, overage: items }, new Date(0)).overage_items).toEqual([
      { barcode: '4006381333948', osd_code: '85', quantity: 3, comment: '', images_id: null },
      { barcode: 'X', osd_code: '86', quantity: 1, comment: '', images_id: null },
    ]);
  });

  test('keep a code that is too long for the interface in the comment', () => {
    const code = 'HTTPS://EXAMPLE.COM/TOTE/1';
    expect(overageOf(code, 'back', 1)).toMatchObject({ barcode: '', comment: code });
    expect(addOverage([overageOf(code, 'back', 1)], overageOf(`${code}2`, 'back', 1))).toHaveLength(2);
  });

  test('of a delivered stop are the recorded ones', () => {
    const overage_items = [{ barcode: '1', osd_code: '85', quantity: 2, comment: '', images_id: null }];
    const stop = stopOf({ id: 1 }, { status: 'D', updates: { overage_items } });
    expect(overageAt(stop, emptyDraft)).toEqual([{ barcode: '1', code: '85', quantity: 2, comment: '', photos: [] }]);
  });

  test('have the codes of the office, else those of the interface', () => {
    expect(fatesOf(credit)).toEqual(['85', '86']);
    expect(fatesOf([])).toEqual(['85', '86']);
  });
});

describe('codes in the view of the camera', () => {
  const frames = (...each: (readonly [codes: readonly string[], at: number])[]): string[] => {
    let view: InView = new Map();
    return each.flatMap(([codes, at]) => {
      const next = afterFrame(view, codes, at);
      view = next.view;
      return next.fresh;
    });
  };

  test('a code that stays in view is one scan, through blurred frames', () => {
    expect(frames([['a', 'a'], 0], [['a'], 100], [[], 200], [['a'], goneMs])).toEqual(['a']);
  });

  test('a code that left the view counts again', () => {
    expect(frames([['a'], 0], [['b'], 100], [['b'], goneMs], [['a', 'b'], goneMs + 100])).toEqual(['a', 'b', 'a']);
  });
});

describe('a hardware scanner', () => {
  const type = (text: string, msPerKey: number, end: string): string | undefined => {
    let burst: Burst = noBurst;
    let at = 0;
    for (const key of text) burst = afterKey(burst, key, (at += msPerKey)).burst;
    return afterKey(burst, end, at + msPerKey).code;
  };

  test('types a code in a burst that ends with Enter or Tab', () => {
    expect(type('4006381333931', 8, 'Enter')).toBe('4006381333931');
    expect(type('4006381333931', 60, 'Tab')).toBe('4006381333931');
  });

  test('differs from fingers by speed and length', () => {
    expect(type('4006381333931', 180, 'Enter')).toBeUndefined();
    expect(type('12', 5, 'Enter')).toBeUndefined();
  });

  test('sends Shift before a letter, which is no part of the code', () => {
    const { burst } = afterKey(afterKey(noBurst, 'Shift', 0).burst, 'T', 1);
    expect(burst.text).toBe('T');
  });
});

test('the stop at hand is the one where the driver has arrived, else the first pending one', () => {
  const stops = [stopFour('D'), stopOf({ id: 5 }), stopOf({ id: 6 }), stopOf({ id: 999, type: 'warehouse' })];
  expect(stopAtHand({ stops })?.id).toBe(5);
  const arrived = stops.map((stop) => (stop.id === 6 ? { ...stop, arrived: true } : stop));
  expect(stopAtHand({ stops: arrived })?.id).toBe(6);
  expect(stopAtHand({ stops: [stopFour('D')] })).toBeUndefined();
});
