import { mutation, skipRefuseArgs, stopUpdateArgs } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { $ZodType } from 'zod/v4/core';
import { safeParse } from 'zod/v4/core';
import * as z from 'zod/mini';
import { compileReader } from '../../server/src/wire/schema-reader.ts';
import { anyStopObject } from '../sdk/stop-objects.ts';

/** The results of the compiled reader and of zod; as text, too, because documents keep the order of their keys. */
function readings(schema: $ZodType, value: unknown) {
  const resultOf = ({
    success,
    data,
    error,
  }: {
    success: boolean;
    data?: unknown;
    error?: { issues: unknown } | undefined;
  }) => ({
    ...{ success, data, issues: error?.issues },
    text: JSON.stringify(data),
  });
  return { ours: resultOf(compileReader(schema)(value)), zods: resultOf(safeParse(schema, value)) };
}

const route = { id: 'R100', facility: 'F01', week_end: '20261128' };
const stopUpdate = anyStopObject(fc.constantFrom(1, 999)).map((stop) => ({ route, stop }));

/** A valid value with one of its leaves replaced by any value. */
const damaged = fc.tuple(stopUpdate, fc.nat(), fc.jsonValue()).map(([update, at, value]) => {
  let leaves = 0;
  const count = () => leaves++;
  JSON.stringify(update, (_key, child: unknown) => (typeof child === 'object' ? child : count()));
  let left = at % leaves;
  const text = JSON.stringify(update, (_key, child: unknown) =>
    typeof child === 'object' && child !== null ? child : left-- === 0 ? value : child,
  );
  return readJson(text);
});
const readJson: (text: string) => unknown = JSON.parse;

describe('the compiled reader of a schema agrees with zod', () => {
  it('on stop updates as apps send them', () => {
    fc.assert(
      fc.property(stopUpdate, (update) => {
        const { ours, zods } = readings(stopUpdateArgs, update);
        expect(ours).toStrictEqual(zods);
      }),
    );
  });

  it('on invalid stop updates', () => {
    fc.assert(
      fc.property(damaged, (update) => {
        const { ours, zods } = readings(stopUpdateArgs, update);
        expect(ours).toStrictEqual(zods);
      }),
      { numRuns: 500 },
    );
  });

  it('on anything else', () => {
    fc.assert(
      fc.property(fc.constantFrom(mutation, stopUpdateArgs, skipRefuseArgs), fc.jsonValue(), (schema, value) => {
        const { ours, zods } = readings(schema, value);
        expect(ours).toStrictEqual(zods);
      }),
    );
  });

  it.each([
    ['times', z.iso.datetime({ offset: true }), ['2026-11-21T10:00:00+01:00', '2026-02-30T10:00:00Z', '', 7]],
    ['integers', z.int().check(z.gte(0), z.lte(9)), [0, 9, 10, -1, 1.5, 2 ** 53, Number.NaN, '5', null]],
    ['numbers', z.number(), [0, Number.POSITIVE_INFINITY, Number.NaN, '1']],
    [
      'texts by their characters',
      z.string().check(z.minLength(3), z.maxLength(3)),
      ['😀', '😀😀', '😀a', '😀😀😀', '😀😀😀😀'],
    ],
    ['texts', z.string().check(z.minLength(1), z.maxLength(3), z.regex(/^a/)), ['a', 'abc', 'abcd', '', 'b', null]],
    [
      'optional fields',
      z.object({ a: z.optional(z.null()), b: z._default(z.array(z.int()), [1]) }),
      [{}, { a: null }, { a: undefined, b: undefined }, { b: [] }, [], null],
    ],
    ['defaults in optional fields', z.object({ a: z.optional(z._default(z.string(), 'x')) }), [{}, { a: 'y' }]],
    ['strict objects', z.strictObject({ a: z.boolean() }), [{ a: true }, { a: true, b: 1 }]],
    ['unions', z.union([z.literal('a'), z.object({ b: z.enum(['c']) })]), ['a', { b: 'c' }, { b: 'd' }, 'b']],
    ['exclusive unions', z.xor([z.string(), z.literal('a')]), ['a', 'b']],
    ['unsupported schemas', z.record(z.string(), z.number()), [{}, { a: 1 }, { a: '1' }]],
    ['unsupported checks', z.string().check(z.startsWith('a'), z.lowercase()), ['a', 'aB', 'b']],
  ])('on %s', (_what, schema, values) => {
    for (const value of values) {
      const { ours, zods } = readings(schema, value);
      expect(ours).toStrictEqual(zods);
    }
  });

  it('on prototypes: inherited fields count as zod counts them', () => {
    const schema = z.object({ toString: z.optional(z.unknown()), ['__proto__']: z.optional(z.string()) });
    for (const text of ['{}', '{"__proto__":"x"}', '{"toString":1}']) {
      const { ours, zods } = readings(schema, readJson(text));
      expect(ours).toStrictEqual(zods);
    }
  });
});
