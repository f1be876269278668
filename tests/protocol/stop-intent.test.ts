import type { StopObjectInput } from '@tailgate/sync-protocol';
import { stopObject, withPlannedInvoices } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';

type Sent = [id: string, invoice?: string];
const manifest: Record<string, string[]> = { MILK: ['A', 'B'], RYE: ['A', 'A', 'B'], TOTE: [''] };

/**
 * The invoices that the lines get, on a manifest of two MILK, three RYE (two on one invoice) and one TOTE without an
 * invoice.
 */
function placed(...lines: Sent[]): string[] {
  const products = lines.map(([id, invoice]) => ({ id, ...(invoice !== undefined && { invoice }) }));
  const input: StopObjectInput = { id: 1, products };
  const stop = withPlannedInvoices(stopObject.parse(input), (_, item) => manifest[item] ?? [], 'current');
  return stop.products?.map(({ invoice }) => invoice) ?? [];
}

test.each<[string, Sent[], string[]]>([
  [
    'lines keep the invoices they name',
    [
      ['MILK', 'B'],
      ['MILK', 'A'],
    ],
    ['B', 'A'],
  ],
  ['lines without one get the invoices in order', [['MILK'], ['MILK']], ['A', 'B']],
  ['each as often as the manifest has it', [['RYE'], ['RYE'], ['RYE']], ['A', 'A', 'B']],
  [
    'except those that other lines name, in any position',
    [['RYE'], ['RYE', 'A'], ['MILK'], ['MILK', 'A']],
    ['A', 'A', 'B', 'A'],
  ],
  ['lines above the plan stay unchanged', [['MILK'], ['MILK'], ['MILK']], ['A', 'B', '']],
  ['a line planned without an invoice has none', [['TOTE'], ['TOTE', 'A']], ['', 'A']],
  ['an unplanned item stays unchanged', [['EGGS']], ['']],
])('invoices: %s (contract §1)', (_, lines, invoices) => {
  expect(placed(...lines)).toEqual(invoices);
});

test('a stop whose lines name their invoices is returned uncopied, for the hot path', () => {
  const stop = stopObject.parse({ id: 1, products: [{ id: 'MILK', invoice: 'A' }], collections: null });
  expect(withPlannedInvoices(stop, () => ['B'], 'current')).toBe(stop);
});

test.each<[string, Sent[], string[]]>([
  ['an invoice that the item does not have', [['MILK', 'C']], ['A']],
  [
    'beside one that it has',
    [
      ['MILK', 'C'],
      ['MILK', 'A'],
    ],
    ['B', 'A'],
  ],
  [
    'more lines than planned',
    [
      ['TOTE', 'A'],
      ['TOTE', 'B'],
    ],
    ['', 'B'],
  ],
  ['of an unplanned item', [['EGGS', 'A']], ['A']],
])('invoices of a collection and of v20’s products are derived: %s (contract §4)', (_, lines, invoices) => {
  const sent = lines.map(([id, invoice = '']) => ({ id, invoice }));
  const stop = stopObject.parse({ id: 1, products: sent, collections: sent });
  const { products, collections } = withPlannedInvoices(stop, (__, item) => manifest[item] ?? [], 'v20');
  for (const found of [products, collections]) expect(found?.map(({ invoice }) => invoice)).toEqual(invoices);
});
