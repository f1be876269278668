import { describe, expect, test } from 'vitest';
import { exportName, toCsv } from '../../server/web/office/model/export.ts';
import type { RepairField } from '../../server/web/office/model/parked-row.ts';
import {
  columns,
  differencesOf,
  fieldsOf,
  overOf,
  refusedOf,
  repairOf,
  roomOf,
} from '../../server/web/office/model/parked-row.ts';
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
const field = (id: string): RepairField => {
  const found = fields.find((each) => each.id === id);
  if (!found) throw new Error(`no field ${id}`);
  return found;
};

describe('a refused row', () => {
  test('has a field for each count and text that an edit can correct', () => {
    expect(fields.map(({ id }) => id)).toEqual([
      '110020/8400101/RQDLV',
      '110020/8400101/RQPAL',
      '110035/8400101/RQDLV',
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
    expect(idsOf('overflow')).toEqual(['110020/8400101/RQDLV']);
    expect(idsOf('column RUCMT')).toEqual(['110020/8400101/RQDLV', 'RUCMT']);
    expect(idsOf('"Ana Ruiz" is not allowed')).toEqual(['110020/8400101/RQDLV', 'RUSNAM']);
    expect(overOf(field('110020/8400101/RQDLV'))).toEqual(['1001201', '560156']);
  });

  test('a correction has only the fields that differ', () => {
    const typed = { '110020/8400101/RQDLV': ' 11 ', RUCMT: 'Left at the dock.', RUSNAM: 'Ana R.' };
    const differences = differencesOf(fields, typed);
    expect(differences.map(({ field: { id }, after }) => [id, after])).toEqual([
      ['110020/8400101/RQDLV', '11'],
      ['RUSNAM', 'Ana R.'],
    ]);
    expect(repairOf(2, differences)).toEqual({
      id: 2,
      products: [{ id: '110020', invoice: '8400101', updates: { delivered: 11 } }],
      updates: { store_emp_name: 'Ana R.' },
    });
  });
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
