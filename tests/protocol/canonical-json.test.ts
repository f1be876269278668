import { canonicalJson as onNode } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson as onPhones } from '../../sync-protocol/src/wire/canonical-json.ts';

const read: (text: string) => unknown = JSON.parse;

describe.each([
  ['on Node', onNode],
  ['on phones', onPhones],
])('canonical JSON (RFC 8785) %s', (_where, canonicalJson) => {
  it.each([
    [
      'names in order, at every depth',
      '{"b":[{"d":1,"c":{"z":2,"y":3}}],"a":0}',
      '{"a":0,"b":[{"c":{"y":3,"z":2},"d":1}]}',
    ],
    ['digits as text: 10 comes before 9', '{"b":1,"9":2,"10":3}', '{"10":3,"9":2,"b":1}'],
    [
      'the same in an object of a list',
      '{"b":[{"9":2,"10":3}],"a":{"c":1,"b":2}}',
      '{"a":{"b":2,"c":1},"b":[{"10":3,"9":2}]}',
    ],
    ['a name that objects inherit', '{"b":1,"__proto__":{"d":1,"c":2}}', '{"__proto__":{"c":2,"d":1},"b":1}'],
    [
      'by UTF-16 units, not by code points',
      '{"\\ufb33":1,"\\ud83d\\ude00":2,"\\r":3}',
      '{"\\r":3,"\ud83d\ude00":2,"\ufb33":1}',
    ],
    ['the empty name first', '{"a":null,"":true}', '{"":true,"a":null}'],
  ])('%s', (_, text, canonical) => {
    expect(canonicalJson(read(text))).toBe(canonical);
  });

  it('omits undefined members', () => {
    expect(canonicalJson({ b: undefined, c: { e: undefined, d: 1 }, a: [2] })).toBe('{"a":[2],"c":{"d":1}}');
  });
});

it('is the same text for every value on Node and on phones', () => {
  const names = fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('9', '10', '__proto__', 'a1'));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, fc.jsonValue({ maxDepth: 0 }), fc.array(tie('value')), tie('object')),
    object: fc.oneof(
      { weight: 9, arbitrary: fc.dictionary(names, tie('value'), { maxKeys: 6 }) },
      // More keys than the encoder sorts by insertion.
      { weight: 1, arbitrary: fc.dictionary(fc.string({ maxLength: 3 }), fc.nat(), { minKeys: 30, maxKeys: 40 }) },
    ),
  }));
  expect(() => fc.assert(fc.property(value, (any) => onNode(any) === onPhones(any)))).not.toThrow();
});
