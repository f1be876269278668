import { describe, expect, test } from 'vitest';
import { articleOf, cleanCode, isCheckDigitRight, keysOf } from '../../server/web/driver/model/barcode.ts';

const isSame = (a: string, b: string): boolean => keysOf(a).some((key) => keysOf(b).includes(key));

describe('numbers of an article', () => {
  test('UPC-A, EAN-13 and GTIN-14 with leading zeros are equal', () => {
    expect(isSame('036000291452', '0036000291452')).toBe(true);
    expect(isSame('036000291452', '00036000291452')).toBe(true);
    expect(isSame('036000291452', '036000291453')).toBe(false);
  });

  test('GTIN-8 is equal to itself with leading zeros', () => {
    expect(isSame('96385074', '0000096385074')).toBe(true);
  });

  test.each([
    ['01234505', '012000003455'],
    ['04252614', '042100005264'],
    ['01234531', '012300000451'],
    ['01234543', '012340000053'],
    ['01234565', '012345000065'],
  ])('UPC-E %s stands for UPC-A %s', (short, whole) => {
    expect(isCheckDigitRight(whole)).toBe(isCheckDigitRight(short));
    expect(isSame(short, whole)).toBe(true);
  });

  test('a GS1 text becomes its GTIN', () => {
    expect(cleanCode('(01)00036000291452(17)270101')).toBe('00036000291452');
    expect(cleanCode(']C10100036000291452')).toBe('00036000291452');
    expect(isSame('0100036000291452', '036000291452')).toBe(true);
  });

  test('blanks and hyphens of a label do not count; letters are compared in upper case', () => {
    expect(cleanCode(' 0 36000-29145 2 ')).toBe('036000291452');
    expect(isSame('tote-7a', 'TOTE7A')).toBe(true);
    expect(keysOf('  ')).toEqual([]);
  });

  test('a case names the article inside it', () => {
    expect(articleOf('10036000291459')).toBe(articleOf('036000291452'));
    expect(articleOf('10036000291450')).toBeUndefined();
    expect(articleOf('110020')).toBeUndefined();
  });

  test('the check digit is known to be right, wrong or absent', () => {
    expect(isCheckDigitRight('4006381333931')).toBe(true);
    expect(isCheckDigitRight('4006381333932')).toBe(false);
    expect(isCheckDigitRight('96385074')).toBe(true);
    expect(isCheckDigitRight('110020')).toBeUndefined();
    expect(isCheckDigitRight('TOTE7A')).toBeUndefined();
  });
});
