import type { OsdGroup, StopResult } from '@tailgate/sync-protocol';
import { applyStopUpdate, lineKey } from '@tailgate/sync-protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostMoment, instantOf } from '../../../server/src/host/files/local-time.ts';
import type { ServicePart } from '../../../server/src/host/files/tables.ts';
import { withTrace } from '../../../server/src/replication/to-host/trace.ts';
import { amendmentOf } from '../../../server/src/stops/amendment.ts';
import { hostRows } from '../../../server/src/stops/host-rows.ts';
import type { StopRows } from '../../../server/src/stops/host-stop.ts';

type OsdRow = ServicePart<'RTOSDP'>;

const key = { facility: 'F01', id: 'R100', week_end: '20261128' };
const stamp = (at: number, client = 'office') => ({ at, client, seq: at, by: 'ANN' });
const photo = (n: number) => `PHOTO${String(n).padStart(11, '0')}`;

const entry = (quantity: number, more: Partial<OsdGroup['data'][number]> = {}) => ({
  ...{ osd_parent: null, comment: '', quantity, images_id: null, barcodes: '', quantity_type: null },
  ...more,
});
const group = (osd_code: string, ...data: OsdGroup['data']): OsdGroup => ({ osd_id: null, osd_code, data });

function recorded(lines: NonNullable<StopResult['products']>, updates: StopResult['updates'] = {}): StopResult {
  return { status: 'D', products: lines, updates, by: [stamp(1, 'phone')] };
}

const milk = (osd_data: OsdGroup[], more: object = {}) => ({
  [lineKey('MILK', 'I1', 0)]: { id: 'MILK', invoice: 'I1', n: 0, osd_data, ...more },
});

function rendered(result: StopResult, version = 1, shadow?: StopRows): StopRows {
  const moment = (instant: Date) => hostMoment(instant, 'UTC');
  const before = shadow && { rows: shadow, credited: new Set<string>() };
  return withTrace(hostRows({ key, stop: 7, result, sequence: `${version}`, moment }, before));
}

/** Applies office changes to the rows that the service wrote, and returns the rows that the service writes next. */
function amended(result: StopResult, edit: (rows: StopRows) => StopRows, mirror = result) {
  const shadow = rendered(result);
  const host = edit(shadow);
  const stand = { key, stop: 7, result: mirror, shadow, hostStop: { rows: host, credited: new Set<string>() } };
  const { update, unmapped } = amendmentOf(stand, (moment) => instantOf(moment, 'UTC'));
  const after = update ? applyStopUpdate(mirror, update, stamp(9)).result : mirror;
  return { update, unmapped, after, host, rows: rendered(after, 2, host) };
}

const osdOf = (result: StopResult) => result.products?.[lineKey('MILK', 'I1', 0)]?.osd_data;
const editOsd =
  (number: string, change: Partial<OsdRow>) =>
  (rows: StopRows): StopRows => ({
    ...rows,
    RTOSDP: rows.RTOSDP.map((row) => (row.OSSEQ === number ? { ...row, ...change } : row)),
  });
const newRow =
  (change: Partial<OsdRow>) =>
  (rows: StopRows): StopRows => {
    const [like] = rendered(recorded(milk([group('10', entry(1))]))).RTOSDP;
    if (!like) throw new Error('an exception has a row');
    return { ...rows, RTOSDP: [...rows.RTOSDP, { ...like, OSSEQ: '9', OSGRP: '0', OSENT: '0', ...change }] };
  };

describe('exceptions changed by the office', () => {
  test('a quantity changes, and a text that the host cut keeps its full length', () => {
    const comment = `broken ${'pallet '.repeat(60)}→ dock`;
    const result = recorded(milk([group('10', entry(2, { comment }), entry(3))]));
    const { after, unmapped } = amended(result, editOsd('1', { OSQTY: '4', OSQTYP: 'C' }));
    expect(osdOf(after)).toEqual([group('10', entry(4, { comment, quantity_type: 'cases' }), entry(3))]);
    expect(unmapped).toEqual([]);
  });

  test('the flag removes one; its photo does not pass to the next', () => {
    const result = recorded(milk([group('10', entry(2, { images_id: photo(1) }), entry(3))]));
    const { after, rows } = amended(result, editOsd('1', { OSDELF: 'Y' }));
    expect(osdOf(after)).toEqual([group('10', entry(3))]);
    expect(rows.RTOSDP.map(({ OSSEQ, OSDELF }) => OSSEQ + OSDELF).sort()).toEqual(['1Y', '2N']);
  });

  test('a new row joins the group of its code, also on an untouched line', () => {
    const result = recorded(milk([group('10', entry(2)), group('20', entry(1))]));
    expect(osdOf(amended(result, newRow({ OSQTY: '7' })).after)).toEqual([
      group('10', entry(2), entry(7)),
      group('20', entry(1)),
    ]);
    const { after } = amended(result, newRow({ OSITM: 'EGGS', OSITMF: 'Y', OSTYP: 'C' }));
    expect(after.collections?.[lineKey('EGGS', 'I1', 0)]?.action_osd_data).toEqual([group('10', entry(1))]);
  });

  test('a row that moves to another item keeps its content', () => {
    const result = recorded(milk([group('10', entry(2, { comment: 'wet' }))]));
    const { after } = amended(result, editOsd('1', { OSITM: 'EGGS', OSINV: '' }));
    expect(osdOf(after)).toEqual([]);
    expect(after.products?.[lineKey('EGGS', '', 0)]?.osd_data).toEqual([group('10', entry(2, { comment: 'wet' }))]);
  });

  test('of the second of two equal lines belong to the second', () => {
    const second = { id: 'MILK', invoice: 'I1', n: 1, osd_data: [group('20', entry(5))] };
    const result = recorded({ ...milk([group('10', entry(2))]), [lineKey('MILK', 'I1', 1)]: second });
    const { after } = amended(result, editOsd('2', { OSQTY: '6' }));
    expect(osdOf(after)).toEqual([group('10', entry(2))]);
    expect(after.products?.[lineKey('MILK', 'I1', 1)]?.osd_data).toEqual([group('20', entry(6))]);
  });

  test('a driver’s additions since the last write to the host are kept', () => {
    const result = recorded(milk([group('10', entry(2))]));
    const mirror = recorded(milk([group('10', entry(2)), group('30', entry(8))]));
    const { after } = amended(result, editOsd('1', { OSQTY: '4' }), mirror);
    expect(osdOf(after)).toEqual([group('10', entry(4)), group('30', entry(8))]);
  });

  test('of an overage: its quantity and its photo', () => {
    const item = { barcode: '123', osd_code: '85', quantity: 1, comment: '', images_id: photo(1) };
    const result = recorded({}, { overage_items: [item] });
    const { after, unmapped } = amended(result, (rows) => ({
      ...editOsd('1', { OSQTY: '2' })(rows),
      RTIMGP: rows.RTIMGP.map((row) => ({ ...row, RIASS: photo(2) })),
    }));
    expect(after.updates?.overage_items).toEqual([{ ...item, quantity: 2, images_id: photo(2) }]);
    expect(unmapped).toEqual([]);
  });

  test.each<[string, (rows: StopRows) => StopRows, string]>([
    ['a row that is gone', (rows) => ({ ...rows, RTOSDP: [] }), 'RTOSDP'],
    ['a photo that is blanked', editOsd('1', { OSIMG: '' }), 'RTOSDP.OSIMG of P 1'],
    ['a code that is none', editOsd('1', { OSCOD: 'X' }), 'RTOSDP.OSCOD of P 1'],
    ['a new row with a code that is none', newRow({ OSCOD: 'X' }), 'RTOSDP.OSCOD of P 9'],
    ['a row of no item', newRow({ OSITM: '', OSINV: '' }), 'RTOSDP'],
  ])('%s is reported to an operator, and the driver’s record remains', (_what, edit, column) => {
    const result = recorded(milk([group('10', entry(2, { images_id: photo(1) }))]));
    const { update, unmapped, after } = amended(result, edit);
    expect({ update, unmapped }).toEqual({ update: undefined, unmapped: [column] });
    expect(after).toEqual(result);
  });

  test('the service writes exactly the office’s quantities, flags and new rows', () => {
    const quantities = fc.array(fc.array(fc.nat(9_999_999), { minLength: 1, maxLength: 3 }), { maxLength: 4 });
    const edits = fc.array(
      fc.oneof(
        fc.record({ at: fc.nat(12), OSQTY: fc.nat(9_999_999).map((n) => `${n}` as const) }),
        fc.record({ at: fc.nat(12), OSDELF: fc.constant('Y') }),
        fc.record({ OSQTY: fc.nat(9_999_999).map((n) => `${n}` as const), OSCOD: fc.constantFrom('10', '11', '77') }),
      ),
      { maxLength: 6 },
    );
    const said = (rows: StopRows) =>
      rows.RTOSDP.map(({ OSITM, OSCOD, OSQTY, OSDELF }) => [OSITM, OSCOD, OSQTY, OSDELF].join(' ')).sort();
    fc.assert(
      fc.property(quantities, edits, (groups, changes) => {
        const result = recorded(milk(groups.map((some, i) => group(`${10 + i}`, ...some.map((n) => entry(n))))));
        const { rows, host, unmapped } = amended(result, (before) =>
          changes.reduce<StopRows>((hostStop, change, i) => {
            if (!('at' in change)) return newRow({ ...change, OSSEQ: `${50 + i}` })(hostStop);
            const { at, ...columns } = change;
            return editOsd(`${at}`, columns)(hostStop);
          }, before),
        );
        expect(unmapped).toEqual([]);
        expect(said(rows)).toEqual(said(host));
      }),
      { numRuns: 80 },
    );
  });
});

describe('photos and addresses changed by the office', () => {
  const result = recorded(milk([], { image_ids: [photo(1), photo(2), photo(3)] }), {
    osd_emails: ['a@x.org', 'b@x.org'],
  });
  const editPhotos = (photos: { [place: string]: string }) => (rows: StopRows) => ({
    ...rows,
    RTIMGP: rows.RTIMGP.map((row) => ({ ...row, RIASS: photos[row.RISEQ] ?? row.RIASS })),
  });
  const photosOf = (after: StopResult) => after.products?.[lineKey('MILK', 'I1', 0)]?.image_ids;

  test('a changed photo, and a removed one', () => {
    const { after, rows, unmapped } = amended(result, editPhotos({ 1: '', 3: photo(9) }));
    expect(photosOf(after)).toEqual([photo(2), photo(9)]);
    expect(rows.RTPRUP).toMatchObject([{ RQIMG: photo(2), RQIMGN: '2' }]);
    expect(unmapped).toEqual([]);
  });

  test('all of them removed', () => {
    expect(photosOf(amended(result, editPhotos({ 1: '', 2: '', 3: '' })).after)).toEqual([]);
  });

  test('only the first one, in the row of its line', () => {
    const { after } = amended(result, (rows) => ({
      ...rows,
      RTPRUP: rows.RTPRUP.map((row) => ({ ...row, RQIMG: photo(7) })),
    }));
    expect(photosOf(after)).toEqual([photo(7), photo(2), photo(3)]);
  });

  test('a new one in a row without a number', () => {
    const { after, unmapped } = amended(result, (rows) => ({
      ...rows,
      RTIMGP: [
        ...rows.RTIMGP,
        ...rows.RTIMGP.slice(0, 1).map((row) => ({ ...row, RISEQ: '0' as const, RIASS: photo(9) })),
      ],
    }));
    expect(photosOf(after)).toEqual([photo(1), photo(2), photo(3), photo(9)]);
    expect(unmapped).toEqual([]);
  });

  test('a text that is no asset, and deleted rows, are reported', () => {
    expect(amended(result, editPhotos({ 1: 'see e-mail' })).unmapped).toEqual(['RTIMGP']);
    expect(amended(result, (rows) => ({ ...rows, RTIMGP: [], RTEMLP: [] })).unmapped).toEqual(['RTIMGP', 'RTEMLP']);
  });

  test('a changed address, a blank one and a new one', () => {
    const { after, rows } = amended(result, (before) => {
      const [first, second] = before.RTEMLP;
      if (!first || !second) throw new Error('each address has a row');
      const fresh = { ...second, REMSEQ: '3' as const, REMADR: 'new@x.org' };
      return { ...before, RTEMLP: [{ ...first, REMADR: '' }, { ...second, REMADR: 'c@x.org' }, fresh] };
    });
    expect(after.updates?.osd_emails).toEqual(['c@x.org', 'new@x.org']);
    expect(rows.RTEMLP.map(({ REMADR }) => REMADR)).toEqual(['c@x.org', 'new@x.org', '']);
  });
});
