import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { draftOf, emptyDraft, withLine } from '../../server/web/driver/model/draft.ts';
import type { Ink } from '../../server/web/driver/model/ink.ts';
import {
  inkOf,
  isSigned,
  noView,
  pictureView,
  pointsOf,
  storedInk,
  viewOf,
} from '../../server/web/driver/model/ink.ts';
import { missingAt } from '../../server/web/driver/model/missing.ts';
import { withTexts } from '../../server/web/driver/model/png-text.ts';
import { isSignedOtherwise, listHash, listText, signedList } from '../../server/web/driver/model/signed-list.ts';
import { earlierSigners, withSigner } from '../../server/web/driver/model/signers.ts';
import { png } from '../support/png.ts';
import { textsOf } from '../pages/stored-files.ts';
import { empties, goods, stopOf } from './route-stop.ts';

const point = (x: number, y: number, time: number) => ({ x, y, time, pressure: 0.5 });
const stroke = [point(10, 10, 5_000), point(60.04, 40, 5_016), point(110, 20, 5_032)];

describe('the strokes of a signature', () => {
  const ink = inkOf([stroke], { width: 320, height: 200 }, noView);

  test('are short numbers, and survive the storage', () => {
    expect(ink).toEqual({ width: 320, height: 200, strokes: [[10, 10, 0, 60, 40, 16, 110, 20, 32]] });
    expect(draftOf(JSON.parse(JSON.stringify({ ...emptyDraft, ink }))).ink).toEqual(ink);
    expect(isSigned(ink)).toBe(true);
  });

  test('lie in a field of another size as a whole, and at the same place after two turns', () => {
    const view = viewOf(ink, 160, 400);
    expect(view.scale).toBe(0.5);
    for (const { x, y } of pointsOf(ink, view).flat()) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(160);
      expect(y).toBeLessThanOrEqual(400);
    }
    const again = inkOf(pointsOf(ink, view), ink, view);
    expect(again).toEqual(ink);
    expect(viewOf(again, 320, 200)).toEqual({ scale: 1, dx: 0, dy: 0 });
  });

  test('of a turned field may lie outside the first one, and are shown', () => {
    const wide: Ink = { ...ink, strokes: [...ink.strokes, [-100, 300, 0, 400, 300, 20]] };
    const { scale, dx, dy } = viewOf(wide, 320, 200);
    expect(-100 * scale + dx).toBeGreaterThanOrEqual(0);
    expect(300 * scale + dy).toBeLessThanOrEqual(200);
  });

  test('fill the picture, less its margin', () => {
    const points = pointsOf(ink, pictureView(ink, 900, 300, 24)).flat();
    expect(Math.min(...points.map(({ y }) => y))).toBeGreaterThanOrEqual(24);
    expect(Math.max(...points.map(({ x }) => x))).toBeLessThanOrEqual(876);
  });

  test('a touch is no signature', () => {
    expect(isSigned(null)).toBe(false);
    expect(isSigned(inkOf([[point(5, 5, 0)]], { width: 100, height: 100 }, noView))).toBe(false);
  });

  test('of a long scribble fit into a draft', () => {
    const scribble = Array.from({ length: 20 }, () =>
      Array.from({ length: 1_000 }, (_, i) => point(i % 320, (i * 7) % 200, i * 16)),
    );
    const thin = inkOf(scribble, { width: 320, height: 200 }, noView);
    expect(thin.strokes).toHaveLength(20);
    expect(thin.strokes[0]?.slice(-3)).toEqual([999 % 320, (999 * 7) % 200, 999 * 16]);
    expect(JSON.stringify(thin).length).toBeLessThan(40_000);
  });

  test('a stored value of another form is no ink', () => {
    for (const value of [undefined, 'ink', { width: 1 }, { width: 0, height: 1, strokes: [] }])
      expect(storedInk(value)).toBeNull();
    expect(storedInk({ width: 9, height: 9, strokes: [[1, 2], 'x', [1, 2, 3]] })).toEqual({
      width: 9,
      height: 9,
      strokes: [[1, 2, 3]],
    });
  });
});

describe('the list that a recipient signs', () => {
  const stop = stopOf({
    id: 6,
    products: [goods('1', 11), goods('2', 9, { action_type: 'scan', section: 'CIG/TOB' })],
    collections: [empties('9', 4)],
  });
  const [first, scanned] = stop.products;
  const short = withLine(emptyDraft, first?.key ?? '', {
    delivered: 9,
    reason: { code: '20', comment: 'wet', photos: [] },
  });

  test('has the counts that the delivery records: a line that was not scanned is as planned', () => {
    expect(signedList(stop, emptyDraft)).toMatchObject({ delivered: 20, planned: 20, extra: [], returns: [] });
    const half = withLine(short, scanned?.key ?? '', { scanned: 4 });
    expect(signedList(stop, half)).toMatchObject({
      delivered: 13,
      planned: 20,
      lines: [
        { delivered: 9, planned: 11, reasons: [{ code: '20', quantity: 2 }] },
        { delivered: 4, planned: 9, reasons: [] },
      ],
    });
  });

  test('has items outside the plan that stay, and what goes back', () => {
    const item = { barcode: '04000', quantity: 2, comment: '', photos: [] };
    const draft = {
      ...emptyDraft,
      overage: [
        { ...item, code: '85' },
        { ...item, code: '86' },
      ],
      returns: { [stop.collections[0]?.key ?? '']: { returned: 3 } },
    };
    const { extra, returns } = signedList(stop, draft);
    expect(extra).toEqual([{ barcode: '04000', quantity: 2 }]);
    expect(returns).toMatchObject([{ name: 'Item 9', returned: 3 }]);
  });

  test('asks for another signature once it differs, and not for a comment', () => {
    const shown = listHash(stop, short);
    const signed = { ...short, signature: 'A'.repeat(16), shown };
    expect(isSignedOtherwise(stop, signed)).toBe(false);
    expect(isSignedOtherwise(stop, { ...signed, comment: 'dock 4' })).toBe(false);
    const other = withLine(signed, first?.key ?? '', { delivered: 8, reason: { code: '20', comment: '', photos: [] } });
    expect(isSignedOtherwise(stop, other)).toBe(true);
    expect(missingAt(stop, other, []).at(-1)).toEqual({ kind: 'signature', again: true });
    expect(missingAt(stop, signed, []).map(({ kind }) => kind)).not.toContain('signature');
  });

  test('is inside the file: text and hash, in a PNG that is otherwise the same', () => {
    const plain = png(4, 4, [255, 255, 255, 255]);
    const text = listText(stop, signedList(stop, short));
    const whole = Buffer.from(withTexts(new Uint8Array(plain), { 'Tailgate list': text, other: 'Söderberg ☕' }));
    expect(textsOf(whole)).toEqual({ 'Tailgate list': text, other: 'Söderberg ☕' });
    expect(whole.subarray(0, 33)).toEqual(plain.subarray(0, 33));
    expect(whole.subarray(-plain.length + 33)).toEqual(plain.subarray(33));
    expect(() => withTexts(new Uint8Array(deflateSync('no picture at all, but long enough')), {})).toThrow('no PNG');
  });
});

test('names that signed for the customer before are offered, the latest first', () => {
  const at = (id: number, name: string, hour: number, customer = 'C1') =>
    stopOf(
      { id, customer: { ...stopOf({}).customer, id: customer } },
      { status: 'D', updates: { store_emp_name: name, end_delivery_time: `2026-11-23T${hour}:00:00.000Z` } },
    );
  const stops = [at(1, 'Rosa', 10), at(2, 'Nils', 12), at(3, 'Rosa ', 14), at(4, 'Elsewhere', 15, 'C2')];
  const route = { stops };
  expect(earlierSigners([undefined, route], undefined, 'C1')).toEqual(['Rosa', 'Nils']);
});

test('names outlive their route in the driver’s memo, for ninety days', () => {
  const day = 86_400_000;
  const now = Date.parse('2026-11-23T12:00:00Z');
  const weekAgo = withSigner(undefined, 'C1', 'Nils', now - 7 * day);
  const memo = withSigner(withSigner(weekAgo, 'C2', 'Elsewhere', now - day), 'C1', 'Rosa', now - 2 * day);
  // As the phone stores it.
  const stored: unknown = JSON.parse(JSON.stringify(memo));
  expect(earlierSigners([], stored, 'C1')).toEqual(['Rosa', 'Nils']);
  const again = withSigner(stored, 'C1', 'Nils', now);
  expect(earlierSigners([], again, 'C1')).toEqual(['Nils', 'Rosa']);
  const later = withSigner(again, 'C3', 'Ana', now + 89 * day);
  expect(earlierSigners([], later, 'C1')).toEqual(['Nils']);
  expect(earlierSigners([], later, 'C2')).toEqual([]);
  expect(earlierSigners([], { signers: { C1: [{ name: 5 }, 'x'], C2: 'y' } }, 'C1')).toEqual([]);
});
