import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { hostText } from '../../../server/src/stops/host-text.ts';

test.each([
  ['nothing', null, '', false],
  ['plain text', 'Left at dock 4', 'Left at dock 4', false],
  ['letters of code page 37', 'Señor Müller, 5½ m² – nein', 'Señor Müller, 5½ m² - nein', true],
  ['Latin-1 alone', 'Käse ½ £5 ¿qué? ÿ', 'Käse ½ £5 ¿qué? ÿ', false],
  ['a decomposed accent is composed, which is no change', 'Cafe\u0301', 'Café', false],
  ['quotes', '‘a’ “b” ‚c‛ „d‟', '\'a\' "b" \'c\' "d"', true],
  ['dashes', 'a‐b‑c‒d–e—f―g−h', 'a-b-c-d-e-f-g-h', true],
  ['an ellipsis', 'wait…', 'wait...', true],
  ['euros', '€5', 'EUR5', true],
  ['what the code page lacks', 'Łódź 日本', '?ód? ??', true],
  ['one question mark for a pair of surrogates', 'ok 😀', 'ok ?', true],
  ['controls become blanks', 'a\tb\nc\u0085d\u007fe', 'a b c d e', true],
  ['blanks at the end are no content', 'ok   ', 'ok', false],
])('%s', (_name, original, text, altered) => {
  expect(hostText(original, 40)).toEqual({ text, altered });
});

test.each([
  ['exactly fitting', 'one two', 7, 'one two', false],
  ['cut between words', 'one two three', 7, 'one two', true],
  ['cut at the word before', 'one two three', 10, 'one two', true],
  ['a word that is most of the text is cut itself', 'no 12345678901234567890', 10, 'no 1234567', true],
  ['only blanks are too much', 'one two        ', 7, 'one two', false],
  ['a spelling that needs more room', '€€€', 8, 'EUREUREU', true],
])('%s', (_name, original, length, text, altered) => {
  const cut = hostText(original, length);
  expect(cut.text).toBe(text);
  expect(cut.altered).toBe(altered);
});

test('whatever comes in, a CHAR(n) of code page 37 holds what comes out', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), fc.integer({ min: 1, max: 40 }), (original, length) => {
      const { text } = hostText(original, length);
      expect(text.length).toBeLessThanOrEqual(length);
      expect(text).toMatch(/^[\x20-\x7e\xa0-\xff]*$/);
      expect(hostText(text, length)).toEqual({ text, altered: false });
    }),
  );
});
