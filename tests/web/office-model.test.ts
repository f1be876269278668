import { describe, expect, test } from 'vitest';
import { exportName, toCsv } from '../../server/web/office/model/export.ts';
import { isNewer, shownOf } from '../../server/web/office/model/flag-review.ts';
import { may, session } from '../../server/web/office/session.ts';
import { isOffPlan } from '../../server/web/office/model/route-row.ts';
import type { StopLine } from '../../server/web/office/model/stop-lines.ts';
import { differenceOf, isOff, standingLines, totalsOf } from '../../server/web/office/model/stop-lines.ts';
import type { RepairField } from '../../server/web/office/model/parked-row.ts';
import {
  columns,
  differencesOf,
  fieldsOf,
  isRefusedAgain,
  overOf,
  plannedLine,
  refusedOf,
  repairOf,
  roomOf,
} from '../../server/web/office/model/parked-row.ts';
import { fieldLabel } from '../../server/web/office/words/parked-sentences.ts';
import { columnsOf } from '../../server/src/host/files/columns.ts';
import { RTPRUP, RTSTUP } from '../../server/src/host/files/route-files.ts';

const payload = JSON.stringify({
  RTPRUP: [
    { RQITM: '110020', RQINV: '8400101', RQDLV: '1001201560156', RQRTN: '0', RQPAL: '2' },
    { RQITM: '110035', RQINV: '8400101', RQDLV: '22', RQRTN: '0', RQPAL: '0' },
  ],
  RTSTUP: [{ RUSNAM: 'Ana Ruiz', RUSEMP: 'E77', RUCMT: 'Left at the dock.', RUSKCM: '' }],
});
const fields = fieldsOf(payload);
const delivered = 'products 110020\t8400101\t0 RQDLV';
const field = (id: string): RepairField => {
  const found = fields.find((each) => each.id === id);
  if (!found) throw new Error(`no field ${id}`);
  return found;
};

describe('a refused row', () => {
  test('has a field for each count and text that an edit can correct', () => {
    expect(fields.map(({ id }) => id)).toEqual([
      delivered,
      'products 110020\t8400101\t0 RQPAL',
      'products 110035\t8400101\t0 RQDLV',
      'RUSNAM',
      'RUSEMP',
      'RUCMT',
      'RUSKCM',
    ]);
  });

  test.each(['', 'no JSON', '[]', 'null', '{"RTPRUP":7}', '{"RTPRUP":[null]}'])('%j has none', (text) => {
    expect(fieldsOf(text)).toEqual([]);
  });

  test('the refused value is the one that is too long, that the host names, or that it quotes', () => {
    const idsOf = (reason: string) => refusedOf(fields, reason).map(({ id }) => id);
    expect(idsOf('overflow')).toEqual([delivered]);
    expect(idsOf('column RUCMT')).toEqual([delivered, 'RUCMT']);
    expect(idsOf('"Ana Ruiz" is not allowed')).toEqual([delivered, 'RUSNAM']);
    expect(overOf(field(delivered))).toEqual(['1001201', '560156']);
  });

  test('a correction has only the fields that differ', () => {
    const typed = { [delivered]: ' 11 ', RUCMT: 'Left at the dock.', RUSNAM: 'Ana R.' };
    const differences = differencesOf(fields, typed);
    expect(differences.map(({ field: { id }, after }) => [id, after])).toEqual([
      [delivered, '11'],
      ['RUSNAM', 'Ana R.'],
    ]);
    expect(repairOf(2, differences)).toEqual({
      id: 2,
      products: [{ id: '110020', invoice: '8400101', updates: { delivered: 11 } }],
      updates: { store_emp_name: 'Ana R.' },
    });
  });
});

test('a correction reaches the line of its row: a product or a collection, and the n-th of equal lines', () => {
  const row = { RQITM: '110020', RQINV: '8400101', RQDLV: '4', RQRTN: '0', RQPAL: '0' };
  const lines = [
    { ...row, RQTYP: 'P', RQLIN: '1' },
    { ...row, RQTYP: 'P', RQLIN: '2', RQDLV: '12345678' },
    { ...row, RQTYP: 'C', RQLIN: '1', RQDLV: '87654321' },
  ];
  const found = fieldsOf(JSON.stringify({ RTPRUP: lines }));
  expect(new Set(found.map(({ id }) => id)).size).toBe(3);
  expect(found.map(fieldLabel)).toEqual([
    '110020, delivered',
    '110020, line 2, delivered',
    '110020, to bring back, delivered',
  ]);
  const refused = refusedOf(found, 'overflow');
  const differences = differencesOf(found, Object.fromEntries(refused.map(({ id }) => [id, '7'])));
  const repair = { id: '110020', invoice: '8400101', updates: { delivered: 7 } };
  expect(repairOf(2, differences)).toEqual({
    id: 2,
    products: [{ id: '110020', invoice: '8400101' }, repair],
    collections: [repair],
  });
});

test('a repair is refused again where the entry has a later version than at the sending', () => {
  expect(isRefusedAgain({ version: 7 }, undefined)).toBe(false);
  expect(isRefusedAgain({ version: 7 }, 7)).toBe(false);
  expect(isRefusedAgain({ version: 8 }, 7)).toBe(true);
});

describe('the room of a column', () => {
  test.each([
    ['RQDLV', '0000011', { used: 2, most: 7, fits: true }],
    ['RQDLV', '12345678', { used: 8, fits: false, isNumber: true }],
    ['RQDLV', 'eleven', { fits: false, isNumber: false }],
    ['RUCMT', 'a'.repeat(256), { used: 256, fits: true }],
    ['RUCMT', 'a'.repeat(257), { used: 257, fits: false }],
    ['RUCMT', 'counted – “ok”', { fits: true, hostReads: 'counted - "ok"' }],
  ] as const)('%s takes %j', (column, text, room) => {
    expect(roomOf(column, text)).toMatchObject(room);
  });
});

test('the page behind the lock keeps what its operator may do; a one-time password may do nothing', () => {
  const operator = { id: 'ANN', name: 'Ann', role: 'repair' } as const;
  session.set({ is: 'locked', operator, why: 'idle' });
  expect([may('look'), may('repair'), may('admin')]).toEqual([true, true, false]);
  session.set({ is: 'oneTime', operator, token: 'token', idleMinutes: 10 });
  expect(may('look')).toBe(false);
  session.set({ is: 'out' });
  expect(may('look')).toBe(false);
});

test('a review of warnings reaches to the newest change that was first shown, and starts anew with another warning', () => {
  const [first, later] = ['2026-11-24T08:56:00.000Z', '2026-11-24T08:56:00.001Z'];
  const shown = { code: 'after_close', through: first };
  expect(shownOf(undefined, 'after_close', undefined)).toBeUndefined();
  expect(shownOf(undefined, 'after_close', first)).toEqual(shown);
  expect(shownOf(shown, 'after_close', later)).toBe(shown);
  expect(shownOf(shown, 'late', later)).toEqual({ code: 'late', through: later });
  expect([isNewer(shown, first), isNewer(shown, later)]).toEqual([false, true]);
});

test('the bounds are those of the host files', () => {
  const known: Readonly<Record<string, unknown>> = { ...columnsOf(RTPRUP), ...columnsOf(RTSTUP) };
  for (const [name, bound] of Object.entries(columns))
    expect([name, known[name]]).toMatchObject([
      name,
      'digits' in bound ? { kind: 'decimal', precision: bound.digits } : { kind: 'char', length: bound.characters },
    ]);
});

describe('an export', () => {
  test('quotes what needs it, and no text becomes a formula', () => {
    const rows = [['=1+1', 'a "b"', 'c\nd', -5, null, true] as const];
    expect(toCsv(['one', 'two', 'three', 'four', 'five', 'six'], rows)).toBe(
      '\u{feff}one,two,three,four,five,six\r\n\'=1+1,"a ""b""","c\nd",-5,,true\r\n',
    );
  });

  test('has the time in its name', () => {
    expect(exportName('parked', Date.parse('2026-11-24T08:56:02Z'), 'csv')).toBe('parked-2026-11-24-0856.csv');
  });
});

describe('a delivered stop whose products have no count', () => {
  const uncounted = (kind: StopLine['kind'], planned: number): StopLine => ({
    kind,
    id: '100234',
    invoice: '8100101',
    n: 0,
    name: '',
    description: '',
    section: '',
    container_type: '',
    planned,
    delivered: null,
    returned: null,
    delivered_pallets: null,
    accounting_complete: false,
    action: null,
    action_delivered: null,
    photos: [],
    exceptions: [],
  });
  const lines = [uncounted('product', 48), uncounted('product', 4), uncounted('collection', 3)];
  const standing = (status: 'D' | 'P' | 'S'): StopLine[] => standingLines(lines, status);

  test('delivered 0 of them, and differs by all pieces', () => {
    expect(standing('D').map(differenceOf)).toEqual([-48, -4, null]);
    expect(standing('D').map(isOff)).toEqual([true, true, false]);
    expect(totalsOf(standing('D'))).toMatchObject({ planned: 52, delivered: 0, difference: -52 });
  });

  test('has a mark in the list of its route', () => {
    const pieces = { exceptions: 0, planned: 52, delivered: 0 };
    expect(isOffPlan({ ...pieces, status: 'D' })).toBe(true);
    expect(isOffPlan({ ...pieces, status: 'D', delivered: 52 })).toBe(false);
    expect(isOffPlan({ ...pieces, status: 'P' })).toBe(false);
  });

  test('gives a refused count its line: item, invoice, and number among equal lines', () => {
    const second = { ...uncounted('product', 4), n: 1 };
    const rows = JSON.stringify({ RTPRUP: [{ RQITM: '100234', RQINV: '8100101', RQLIN: '2', RQDLV: '1200' }] });
    const [count] = fieldsOf(rows);
    expect(count && plannedLine([...lines, second], count)).toEqual(second);
    expect(count && plannedLine(lines, count)).toBeUndefined();
  });

  test('before and without a delivery the count stays open', () => {
    expect([...standing('P'), ...standing('S')].map(differenceOf)).toEqual(Array(6).fill(null));
  });
});
