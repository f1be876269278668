import type { LineUpdate, StopObject, StopResult } from '@tailgate/sync-protocol';
import { applyStopUpdate, withPlannedInvoices } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';
import { codeBook } from '../../../server/src/codes/code-book.ts';
import { planLines } from '../../../server/src/stops/plan-lines.ts';
import { warningsOf } from '../../../server/src/stops/warnings.ts';

// The rules read each line a few times. A comparison of each line with each other one would read it two thousand times.

const count = 2_000;
const fewReads = 12 * count;
const stamp = { at: 2, client: 'rest', seq: 2, by: '1001' };

/** Lines that count how often their items are read. */
function countedLines(itemOf: (n: number) => string) {
  const reads = { count: 0 };
  const lines = Array.from({ length: count }, (_, n): LineUpdate => ({
    get id() {
      reads.count++;
      return itemOf(n);
    },
    invoice: '',
    updates: { delivered: 1 },
  }));
  const stop: StopObject = { id: 1, products: lines };
  return { stop, reads };
}

test('equal lines are applied in order, each read a few times', () => {
  const { stop, reads } = countedLines(() => 'MILK');
  const { result } = applyStopUpdate({ status: 'P' }, stop, stamp);
  expect(Object.keys(result.products ?? {}).slice(-1)).toEqual([`MILK\t\t${count - 1}`]);
  expect(reads.count).toBeLessThan(fewReads);
});

test('equal lines get their warnings', () => {
  const { stop, reads } = countedLines(() => 'MILK');
  const planned = { id: 'MILK', invoice: '', quantity: 1 };
  const warnings = warningsOf(stop, stop, {
    route: {
      key: { facility: 'F01', id: 'R1', week_end: '20261121' },
      name: '',
      withdrawn: false,
      emailFlag: false,
      drivers: [],
      status: 'O',
      arrived: false,
      closedAt: null,
      closedBy: null,
      autocloseAt: null,
      forcecloseAt: null,
    },
    result: { status: 'P' },
    plan: {
      lines: planLines({ products: [planned, planned], collections: [] }),
      removed: false,
      customerSince: null,
      linesSince: null,
    },
    unknownLines: 0,
    codes: codeBook([]),
    actor: { kind: 'driver', employee: '1001' },
    paths: 'current',
    stamp,
    receivedAt: new Date(stamp.at),
    closeMode: 'legacy',
    timerMs: 600_000,
  });
  expect(warnings.map(({ code }) => code)).toEqual(Array.from({ length: count - 2 }, () => 'unknown_product'));
  expect(reads.count).toBeLessThan(fewReads);
});

test('lines of many items get the invoices of the plan', () => {
  const { stop, reads } = countedLines((n) => `ITEM${n}`);
  const { products } = withPlannedInvoices(stop, () => ['A']);
  expect(new Set(products?.map(({ invoice }) => invoice))).toEqual(new Set(['A']));
  expect(reads.count).toBeLessThan(fewReads);
});

test('changed exceptions look for their former photos', () => {
  let reads = 0;
  const entry = { osd_parent: null, comment: '', images_id: null, barcodes: '', quantity_type: null };
  const group = (quantityOf: (n: number) => number) => ({
    osd_id: null,
    osd_code: '10',
    data: Array.from({ length: 500 }, (_, n) => ({
      ...entry,
      get quantity() {
        reads++;
        return quantityOf(n);
      },
    })),
  });
  const line = { id: 'MILK', invoice: '', n: 0, osd_data: [group((n) => n)] };
  const before: StopResult = { status: 'D', products: { 'MILK\t\t0': line }, by: [{ ...stamp, at: 1 }] };
  const sent = { id: 'MILK', invoice: '', updates: { osd_data: [group((n) => n + 1_000)] } };
  const { result } = applyStopUpdate(before, { id: 1, products: [sent] }, stamp);
  expect(result.products?.['MILK\t\t0']?.osd_data?.[0]?.data[0]?.quantity).toBe(1_000);
  expect(reads).toBeLessThan(12 * 2 * 500);
});
