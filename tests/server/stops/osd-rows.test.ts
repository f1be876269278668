import type { OsdGroup, StopResult } from '@tailgate/sync-protocol';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maxFlaggedRows, osdRows } from '../../../server/src/stops/osd-rows.ts';

const key = { facility: 'F01', id: 'R100', week_end: '20261128' };
type Rows = ReturnType<typeof osdRows>;

function render(groups: OsdGroup[], held: Rows = [], credited: string[] = [], sequence = 1): Rows {
  const result: StopResult = { status: 'D', products: { a: { id: 'A', invoice: 'I', n: 0, osd_data: groups } } };
  const stop = {
    key,
    stop: 7,
    result,
    sequence: `${sequence}` as const,
    moment: () => ({ date: '0', time: '0' }) as const,
  };
  return osdRows(stop, held, new Set(credited));
}

const entry = (quantity: number, barcodes = '') => ({
  ...{ osd_parent: null, comment: '', quantity, images_id: null, barcodes, quantity_type: null },
});
const group = (osd_code: string, quantities: number[], osd_id: string | null = null): OsdGroup => ({
  osd_id,
  osd_code,
  data: quantities.map((quantity) => entry(quantity)),
});
const numbers = (rows: Rows) =>
  rows.map(({ OSSEQ, OSQTY, OSDELF }) => `${OSSEQ}:${OSQTY}${OSDELF === 'Y' ? ' gone' : ''}`);

describe('an entry keeps its number', () => {
  test('when only its quantity changes', () => {
    const first = render([group('10', [1], 'ab12cd')]);
    expect(numbers(render([group('10', [5], 'ab12cd')], first))).toEqual(['1:5']);
  });

  test('when another is put before it', () => {
    const first = render([group('10', [1])]);
    const second = render([group('10', [7, 1])], first);
    expect(numbers(second)).toEqual(['2:7', '1:1']);
    expect(second.map(({ OSSEQ, OSENT }) => [OSSEQ, OSENT])).toEqual([
      ['2', '1'],
      ['1', '2'],
    ]);
  });

  test('when it is removed and comes back unchanged', () => {
    const first = render([group('10', [1])]);
    const gone = render([], first);
    expect(numbers(gone)).toEqual(['1:1 gone']);
    expect(numbers(render([group('10', [1])], gone))).toEqual(['1:1']);
  });

  test('two groups with the same code are not merged', () => {
    const rows = render([group('10', [1]), group('10', [2])]);
    expect(rows.map(({ OSGRP, OSENT }) => `${OSGRP}.${OSENT}`)).toEqual(['1.1', '2.1']);
  });

  test('a group without entries stores nothing and has no place', () => {
    expect(render([group('10', []), group('20', [1])]).map(({ OSGRP, OSCOD }) => [OSGRP, OSCOD])).toEqual([
      ['1', '20'],
    ]);
  });
});

test('another exception of the same code does not take the number of a removed one', () => {
  const gone = render([], render([group('10', [1])]));
  expect(numbers(render([group('10', [9])], gone))).toEqual(['2:9', '1:1 gone']);
});

describe('a credited row', () => {
  const first = render([group('10', [1], 'ab12cd')]);

  test('is not flagged after its entry is removed', () => {
    expect(render([], first, ['P 1'])).toEqual(first);
  });

  test('is not written again, and revisions count up', () => {
    const second = render([group('10', [2], 'ab12cd')], first, ['P 1']);
    expect(second.map(({ OSSEQ, OSREV, OSQTY }) => [OSSEQ, OSREV, OSQTY])).toEqual([
      ['2', '1', '2'],
      ['1', '0', '1'],
    ]);
    expect(second[1]).toBe(first[0]);
    const third = render([group('10', [3], 'ab12cd')], second, ['P 1', 'P 2']);
    expect(third.map(({ OSSEQ, OSREV }) => [OSSEQ, OSREV])).toEqual([
      ['3', '2'],
      ['2', '1'],
      ['1', '0'],
    ]);
  });
});

describe('past the limit of flagged rows', () => {
  const many = 400;
  const update = (n: number): OsdGroup[] => [
    { osd_id: null, osd_code: '10', data: Array.from({ length: many }, (_, i) => entry(1, `${n}-${i}`)) },
  ];
  const churn = (updates: number, credited: string[] = []): Rows => {
    let rows: Rows = [];
    for (let n = 1; n <= updates; n++) rows = render(update(n), rows, credited, n);
    return rows;
  };

  test('50 updates that replace every exception leave a bounded number of rows', () => {
    const rows = churn(50);
    expect(rows.length).toBeLessThanOrEqual(maxFlaggedRows + 2 * many);
    expect(new Set(rows.map(({ OSSEQ }) => OSSEQ)).size).toBe(rows.length);
    const live = rows.filter(({ OSDELF }) => OSDELF === 'N');
    expect(live.map(({ OSBAR }) => OSBAR)).toEqual(update(50)[0]?.data.map(({ barcodes }) => barcodes));
    // Rendered again over itself, it is itself.
    expect(render(update(50), rows, [], 51).every((row) => rows.includes(row))).toBe(true);
  });

  test('numbers of the rows flagged first are reused, never those of credited rows', () => {
    const before = churn(4, ['P 1', 'P 2']);
    const after = render(update(5), before, ['P 1', 'P 2'], 5);
    const taken = after.filter(({ OSBAR }) => OSBAR.startsWith('5-')).map(({ OSSEQ }) => Number(OSSEQ));
    const flagged = before.filter(({ OSDELF }) => OSDELF === 'Y').length;
    const room = flagged - maxFlaggedRows;
    expect(room).toBeGreaterThan(0);
    expect(taken.slice(0, room)).toEqual(Array.from({ length: room }, (_, i) => i + 3));
    expect(Math.min(...taken.slice(room))).toBe(before.length + 1);
    for (const number of ['1', '2'])
      expect(after.find(({ OSSEQ }) => OSSEQ === number)).toBe(before.find(({ OSSEQ }) => OSSEQ === number));
  });
});

test('a number belongs to one exception for good and no row disappears, for any edits', () => {
  const groups = fc.array(
    fc.record({
      osd_id: fc.constantFrom(null, 'aaaaaa', 'bbbbbb'),
      osd_code: fc.constantFrom('10', '20'),
      data: fc.array(
        fc.tuple(fc.nat(3), fc.constantFrom('', '123')).map(([quantity, barcode]) => entry(quantity, barcode)),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 4 },
  );
  const identity = ({ OSOID, OSCOD, OSBAR }: Rows[number]) => (OSOID === '' ? `${OSCOD} ${OSBAR}` : OSOID);
  fc.assert(
    fc.property(fc.array(groups, { minLength: 1, maxLength: 6 }), (history) => {
      let held: Rows = [];
      const given = new Map<string, string>();
      for (const [index, osd] of history.entries()) {
        const rows = render(osd, held, [], index + 1);
        const live = rows.filter(({ OSDELF }) => OSDELF === 'N');
        expect(live).toHaveLength(osd.reduce((sum, { data }) => sum + data.length, 0));
        expect(new Set(rows.map(({ OSSEQ }) => OSSEQ)).size).toBe(rows.length);
        for (const { OSSEQ } of held) expect(rows.map((row) => row.OSSEQ)).toContain(OSSEQ);
        for (const row of rows) {
          expect(given.get(row.OSSEQ) ?? identity(row)).toBe(identity(row));
          given.set(row.OSSEQ, identity(row));
        }
        // Rendered again over itself, it is itself.
        expect(render(osd, rows, [], index + 2).every((row) => rows.includes(row))).toBe(true);
        held = rows;
      }
    }),
  );
});
