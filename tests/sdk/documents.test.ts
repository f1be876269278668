import { feedDocuments } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCode, isHeader, isPlan, resultOf } from '../../client-sdk/src/replica/documents.ts';
import { spoilt, valuesOf } from '../support/fuzz/json-values.ts';

describe('documents as a phone takes them', () => {
  test.each([
    ['plan', isPlan],
    ['route', isHeader],
    ['code', isCode],
  ] as const)('whatever the protocol calls a %s is one', (kind, is) => {
    expect(() => fc.assert(fc.property(valuesOf(feedDocuments[kind], {}), is), { numRuns: 20 })).not.toThrow();
  });

  test('one that lacks what is computed with is none', () => {
    const lines = { products: [], collections: [] };
    expect(isPlan({ id: 1, sequence: 1, ...lines })).toBe(true);
    for (const value of [undefined, null, [], 'plan', { id: 1, ...lines }, { id: 1, sequence: 1, products: [] }])
      expect(isPlan(value)).toBe(false);
    expect(isPlan({ id: 1, sequence: 1, products: ['ITEM1'], collections: [] })).toBe(false);
    expect(isHeader({ facility: 'F01', id: 'R100', week_end: '20261121' })).toBe(false);
    expect(isCode({ type: 'section', code: 'A' })).toBe(false);
  });

  test('a result that does not fit says nothing: the rules never see a value of another form', () => {
    const document = (value: unknown) => ({ version: 1, value });
    const results = fc.oneof(valuesOf(feedDocuments.result, {}), spoilt(valuesOf(feedDocuments.result, {})));
    const agrees = (value: unknown): void => {
      const read = feedDocuments.result.safeParse(value);
      expect(resultOf(document(value))).toEqual(read.success ? read.data : { status: 'P' });
    };
    expect(() => fc.assert(fc.property(results, agrees), { numRuns: 20 })).not.toThrow();
    expect(resultOf(undefined)).toEqual({ status: 'P' });
  });

  test('a result is read once', () => {
    const document = { version: 1, value: { status: 'D' } };
    expect(resultOf(document)).toBe(resultOf(document));
  });
});
