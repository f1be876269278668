import type { LineKind, Stamp, StopObject, StopResult } from '@tailgate/sync-protocol';
import { applyStopUpdate, canonicalJson, stopObject, withPlannedInvoices } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergeUpdates } from '../../client-sdk/src/queue/merge.ts';
import { anyStopObject } from './stop-objects.ts';

const stamp = (at: number): Stamp => ({ at, client: 'c', seq: at, by: '1001' });
/** The values of a result. A line or group without fields adds nothing. */
function valuesOf({ status, arrived, updates = {}, ...lines }: StopResult): string {
  const values = (kind: LineKind) =>
    Object.fromEntries(
      Object.entries(lines[kind] ?? {}).flatMap(([key, { id: _id, invoice: _invoice, n: _n, ...fields }]) =>
        canonicalJson(fields) === '{}' ? [] : [[key, fields]],
      ),
    );
  return canonicalJson([status, arrived, updates, values('products'), values('collections')]);
}
const stopOne = anyStopObject(fc.constant(1));

describe('the merge of two edits of one stop', () => {
  test('has the same effect as the two edits in a row, on any state', () => {
    let merges = 0;
    fc.assert(
      fc.property(fc.array(stopOne, { maxLength: 3 }), stopOne, stopOne, (history, first, second) => {
        const merged = mergeUpdates(first, second);
        if (!merged) return;
        merges++;
        let before: StopResult = { status: 'P' };
        for (const [i, update] of history.entries()) before = applyStopUpdate(before, update, stamp(i + 1)).result;
        const apart = applyStopUpdate(applyStopUpdate(before, first, stamp(10)).result, second, stamp(11)).result;
        const together = applyStopUpdate(before, merged, stamp(11)).result;
        expect(valuesOf(together)).toBe(valuesOf(apart));
      }),
      { numRuns: 1_500 },
    );
    // A merge that always declines would satisfy the property, too.
    expect(merges).toBeGreaterThan(150);
  });

  test('has the same effect where the server finds the invoices that are missing, on any plan', () => {
    const invoices = fc.array(fc.constantFrom('INV1', 'INV2'), { maxLength: 2 });
    let merges = 0;
    fc.assert(
      fc.property(stopOne, stopOne, invoices, (first, second, planned) => {
        const merged = mergeUpdates(first, second);
        if (!merged) return;
        merges++;
        const apply = (before: StopResult, update: StopObject, at: number): StopResult =>
          applyStopUpdate(
            before,
            withPlannedInvoices(update, () => planned),
            stamp(at),
          ).result;
        const apart = apply(apply({ status: 'P' }, first, 10), second, 11);
        expect(valuesOf(apply({ status: 'P' }, merged, 11))).toBe(valuesOf(apart));
      }),
      { numRuns: 1_500 },
    );
    expect(merges).toBeGreaterThan(100);
  });

  test('does not happen where an item is without an invoice in one edit and with one in the other', () => {
    const counted = (invoice: string, delivered: number) =>
      stopObject.parse({ id: 1, products: [{ id: 'A', invoice, updates: { delivered } }] });
    expect(mergeUpdates(counted('', 5), counted('I1', 7))).toBeUndefined();
    expect(mergeUpdates(counted('I1', 5), counted('', 7))).toBeUndefined();
    expect(mergeUpdates(counted('', 5), counted('', 7))?.products?.[0]?.updates?.delivered).toBe(7);
  });

  test('fits the schema unchanged: parsing it again alters nothing', () => {
    const again = (first: StopObject, second: StopObject): boolean => {
      const merged = mergeUpdates(first, second);
      return merged === undefined || canonicalJson(stopObject.parse(merged)) === canonicalJson(merged);
    };
    expect(() => fc.assert(fc.property(stopOne, stopOne, again))).not.toThrow();
  });

  const parse = (value: unknown): StopObject => stopObject.parse(value);

  test('does not happen across another status, another stop or the warehouse', () => {
    const delivered = parse({ id: 1, updates: { status: 'D' } });
    expect(mergeUpdates(parse({ id: 1 }), delivered)).toBeUndefined();
    expect(mergeUpdates(delivered, parse({ id: 1, updates: { status: 'S' } }))).toBeUndefined();
    expect(mergeUpdates(delivered, parse({ id: 2, updates: { status: 'D' } }))).toBeUndefined();
    expect(mergeUpdates(parse({ id: 999, arrived: true }), parse({ id: 999 }))).toBeUndefined();
    expect(mergeUpdates(delivered, parse({ id: 1, updates: { status: 'D', followup: true } }))?.updates).toEqual({
      status: 'D',
      followup: true,
    });
  });

  test('retains evidence against null', () => {
    const first = parse({ id: 1, updates: { signature_id: 'AAAAAAAAAAAAAAAA' } });
    const second = parse({ id: 1, updates: { signature_id: null, driver_comments: null } });
    expect(mergeUpdates(first, second)?.updates).toEqual({ signature_id: 'AAAAAAAAAAAAAAAA', driver_comments: null });
  });
});
