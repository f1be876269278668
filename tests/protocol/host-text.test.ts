import { hostLengths, hostText } from '@tailgate/sync-protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isHostText } from '../../server/src/host/files/fit.ts';
import { hostFiles } from '../../server/src/host/files/tables.ts';

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
  ['the currency sign, which CCSID 1140 lacks', '5 ¤', '5 ?', true],
  ['characters outside the code page', 'Łódź 日本', '?ód? ??', true],
  ['one question mark for a pair of surrogates', 'ok 😀', 'ok ?', true],
  ['controls become blanks', 'a\tb\nc\u0085d\u007fe', 'a b c d e', true],
  ['trailing blanks are removed', 'ok   ', 'ok', false],
])('%s', (_name, original, text, altered) => {
  expect(hostText(original, 40)).toEqual({ text, altered });
});

test.each([
  ['exactly fitting', 'one two', 7, 'one two', false],
  ['cut between words', 'one two three', 7, 'one two', true],
  ['cut at the word before', 'one two three', 10, 'one two', true],
  ['a word longer than most of the text is cut itself', 'no 12345678901234567890', 10, 'no 1234567', true],
  ['trailing blanks above the length are removed', 'one two        ', 7, 'one two', false],
  ['a spelling that is longer', '€€€', 8, 'EUREUREU', true],
])('%s', (_name, original, length, text, altered) => {
  const cut = hostText(original, length);
  expect(cut.text).toBe(text);
  expect(cut.altered).toBe(altered);
});

/**
 * CCSID 37 byte by byte, from the table of the Unicode consortium (CP037.TXT): the code point of each of its 256
 * characters.
 */
const ccsid37 = `
000102039c09867f978d8e0b0c0d0e0f101112139d8508871819928f1c1d1e1f80818283840a171b88898a8b8c050607909116939495960498999a9b14159e1a
20a0e2e4e0e1e3e5e7f1a22e3c282b7c26e9eaebe8edeeefecdf21242a293bac2d2fc2c4c0c1c3c5c7d1a62c255f3e3ff8c9cacbc8cdcecfcc603a2340273d22
d8616263646566676869abbbf0fdfeb1b06a6b6c6d6e6f707172aabae6b8c6a4b57e737475767778797aa1bfd0dddeae5ea3a5b7a9a7b6bcbdbe5b5dafa8b4d7
7b414243444546474849adf4f6f2f3f57d4a4b4c4d4e4f505152b9fbfcf9faff5cf7535455565758595ab2d4d6d2d3d530313233343536373839b3dbdcd9da9f`;
const table = new Set((ccsid37.match(/[0-9a-f]{2}/g) ?? []).map((code) => Number.parseInt(code, 16)));
/** CCSID 1140 is 37 with the euro in the place of ¤. */
const pages = [table, new Set([...table].map((code) => (code === 0xa4 ? 0x20ac : code)))];
const isHeld = (text: string) =>
  isHostText(text) && pages.every((page) => Array.from(text).every((letter) => page.has(letter.codePointAt(0) ?? -1)));
const isControl = (code: number) => code < 0x20 || (code >= 0x7f && code < 0xa0);

test('code page 37 contains the 256 characters of Latin-1; all but the controls and ¤ pass unchanged', () => {
  expect([...table].sort((one, other) => one - other)).toEqual(Array.from({ length: 256 }, (_, code) => code));
  for (const code of table) {
    const text = `a${String.fromCharCode(code)}b`;
    const altered = isControl(code) ? 'a b' : code === 0xa4 ? 'a?b' : undefined;
    expect(hostText(text, 3)).toEqual({ text: altered ?? text, altered: altered !== undefined });
  }
});

/** All assigned planes of Unicode; of the unassigned and private planes, every 64th code point. */
function* codePoints(): Generator<number> {
  for (let code = 0; code <= 0x10ffff; code += code < 0x40000 || code >> 16 === 14 ? 1 : 64) yield code;
}

test('every code point becomes characters of all code pages, and a second conversion changes nothing', () => {
  const unstable: string[] = [];
  const convert = (some: readonly string[]) => {
    // A blank between them, so that no two characters compose.
    const { text } = hostText(some.join(' '), 4_000);
    if (!isHeld(text) || hostText(text, 4_000).altered) unstable.push(some.join(' '));
  };
  let some: string[] = [];
  for (const code of codePoints()) {
    some.push(String.fromCodePoint(code));
    if (some.length < 256) continue;
    convert(some);
    some = [];
  }
  convert(some);
  expect(unstable).toEqual([]);
});

test('a CHAR(n) holds the converted text of any length', () => {
  const character = fc.oneof(fc.integer({ min: 1, max: 0x17f }), fc.constantFrom(0x2019, 0x20ac, 0x308, 0x1f600, 0x20));
  const texts = fc.array(character, { maxLength: 80 }).map((codes) => String.fromCodePoint(...codes));
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (original, length) => {
      const { text } = hostText(original, length);
      expect(text.length).toBeLessThanOrEqual(length);
      expect(hostText(text, length).altered).toBe(false);
    }),
  );
});

test('an app can compute the length of a text on the host', () => {
  const [{ service: result }, { service: exception }] = [hostFiles.RTSTUP, hostFiles.RTOSDP];
  expect(hostLengths).toEqual({
    driver_comments: result.RUCMT.length,
    skip_refuse_driver_comment: result.RUSKCM.length,
    store_emp_name: result.RUSNAM.length,
    comment: exception.OSCMT.length,
  });
});
