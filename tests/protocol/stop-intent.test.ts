import type { StopObjectInput } from '@tailgate/sync-protocol';
import { stopObject, withPlannedInvoices } from '@tailgate/sync-protocol';
import { expect, test } from 'vitest';

type Sent = [id: string, invoice?: string];

/** The invoices that lines end with, on a manifest of two MILK, three RYE (two on one invoice) and one TOTE without. */
function placed(...lines: Sent[]): string[] {
  const manifest: Record<string, string[]> = { MILK: ['A', 'B'], RYE: ['A', 'A', 'B'], TOTE: [''] };
  const products = lines.map(([id, invoice]) => ({ id, ...(invoice !== undefined && { invoice }) }));
  const input: StopObjectInput = { id: 1, products };
  const stop = withPlannedInvoices(stopObject.parse(input), (_, item) => manifest[item] ?? []);
  return stop.products?.map(({ invoice }) => invoice) ?? [];
}

test.each<[string, Sent[], string[]]>([
  [
    'named ones stay',
    [
      ['MILK', 'B'],
      ['MILK', 'A'],
    ],
    ['B', 'A'],
  ],
  ['those without one take them in order', [['MILK'], ['MILK']], ['A', 'B']],
  ['as often as the manifest has them', [['RYE'], ['RYE'], ['RYE']], ['A', 'A', 'B']],
  [
    'but not those that others name, wherever they stand',
    [['RYE'], ['RYE', 'A'], ['MILK'], ['MILK', 'A']],
    ['A', 'A', 'B', 'A'],
  ],
  ['more lines than planned stay as they came', [['MILK'], ['MILK'], ['MILK']], ['A', 'B', '']],
  ['a line planned without an invoice has none', [['TOTE'], ['TOTE', 'A']], ['', 'A']],
  ['an item that is not planned stays', [['EGGS']], ['']],
])('invoices: %s (contract §1)', (_, lines, invoices) => {
  expect(placed(...lines)).toEqual(invoices);
});

test('a stop whose lines name their invoices is the same object: nothing is copied on the busiest path', () => {
  const stop = stopObject.parse({ id: 1, products: [{ id: 'MILK', invoice: 'A' }], collections: null });
  expect(withPlannedInvoices(stop, () => ['B'])).toBe(stop);
});
