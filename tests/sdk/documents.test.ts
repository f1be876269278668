import { feedDocuments } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCode, isHeader, isPlan, resultOf } from '../../client-sdk/src/replica/documents.ts';
import { record } from '../../client-sdk/src/platform/reading.ts';
import { corrupted, valuesOf } from '../support/fuzz/json-values.ts';

describe('documents in the form that a phone accepts', () => {
  test.each([
    ['plan', isPlan],
    ['route', isHeader],
    ['code', isCode],
  ] as const)('every %s of the protocol is a valid document', (kind, is) => {
    expect(() => fc.assert(fc.property(valuesOf(feedDocuments[kind], {}), is), { numRuns: 20 })).not.toThrow();
  });

  test('a document without a field that computations need is invalid', () => {
    const lines = { products: [], collections: [] };
    expect(isPlan({ id: 1, sequence: 1, ...lines })).toBe(true);
    for (const value of [undefined, null, [], 'plan', { id: 1, ...lines }, { id: 1, sequence: 1, products: [] }])
      expect(isPlan(value)).toBe(false);
    expect(isPlan({ id: 1, sequence: 1, products: ['ITEM1'], collections: [] })).toBe(false);
    expect(isHeader({ facility: 'F01', id: 'R100', week_end: '20261121' })).toBe(false);
    expect(isCode({ type: 'section', code: 'A' })).toBe(false);
  });

  test('an invalid result counts as empty, so that the rules only see valid values', () => {
    const document = (value: unknown) => ({ version: 1, value });
    const results = fc.oneof(valuesOf(feedDocuments.result, {}), corrupted(valuesOf(feedDocuments.result, {})));
    const agrees = (value: unknown): void => {
      const read = feedDocuments.result.safeParse(value);
      expect(resultOf(document(value))).toEqual(read.success ? read.data : { status: 'P' });
    };
    expect(() => fc.assert(fc.property(results, agrees), { numRuns: 20 })).not.toThrow();
    expect(resultOf(undefined)).toEqual({ status: 'P' });
  });

  test('a result that repeats the shown values, or nearly does, is read like any other', () => {
    const valid = valuesOf(feedDocuments.result, {});
    const values = fc.record({ shown: valid, sent: fc.oneof(valid, corrupted(valid)), isRepeated: fc.boolean() });
    const agrees = ({ shown, sent, isRepeated }: { shown: unknown; sent: unknown; isRepeated: boolean }): void => {
      const before = feedDocuments.result.safeParse(shown).data ?? { status: 'P' };
      const { by, at }: Record<string, unknown> = record(sent) ? sent : {};
      const value: unknown = isRepeated ? structuredClone({ ...before, by, at }) : sent;
      const read = feedDocuments.result.safeParse(value);
      expect(resultOf({ version: 2, value }, before)).toEqual(read.success ? read.data : { status: 'P' });
    };
    expect(() => fc.assert(fc.property(values, agrees), { numRuns: 200 })).not.toThrow();
  });

  test('a result that repeats the shown values keeps them', () => {
    const lines = { A: { id: 'A', invoice: '', n: 0, delivered: 2 } };
    const by = [{ at: 1, client: 'c', seq: 1, by: '1001' }];
    const shown = { status: 'D', products: lines, by, at: { status: 0 } } as const;
    const value = structuredClone({ status: 'D', products: lines, by: [{ ...by[0], at: 2 }] });
    const read = resultOf({ version: 2, value }, shown);
    expect(read.products).toBe(lines);
    expect(read).toEqual(value);
  });

  test('a result is parsed once', () => {
    const document = { version: 1, value: { status: 'D' } };
    expect(resultOf(document)).toBe(resultOf(document));
  });
});
