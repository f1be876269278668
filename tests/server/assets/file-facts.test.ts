import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatAssetId } from '@tailgate/sync-protocol';
import { fileName, shortenName } from '../../../server/src/assets/file-name.ts';
import { detectType, mediaType } from '../../../server/src/assets/media-type.ts';
import { samples } from '../../support/uploads.ts';

describe('an asset id (contract §3)', () => {
  test('encodes eighty bits as Crockford base32 in upper case', () => {
    expect(formatAssetId(Buffer.alloc(10))).toBe('0000000000000000');
    expect(formatAssetId(Buffer.alloc(10, 0xff))).toBe('ZZZZZZZZZZZZZZZZ');
    expect(formatAssetId(Buffer.from('00443214c74254b635cf', 'hex'))).toBe('0123456789ABCDEF');
  });

  test('differs for different bytes', () => {
    const bytes = fc.uint8Array({ minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(formatAssetId(a) === formatAssetId(b)).toBe(Buffer.from(a).equals(b));
      }),
    );
  });

  test('requires ten bytes', () => {
    expect(() => formatAssetId(Buffer.alloc(9))).toThrow('10 bytes');
  });
});

describe('a file name', () => {
  test.each([
    ['photo.jpg', 'photo.jpg'],
    ['/etc/../passwd', 'passwd'],
    ['C:\\fakepath\\IMG 1.HEIC', 'IMG 1.HEIC'],
    ['Cafe\u0301.png', 'Caf\u00e9.png'],
    ['a\u0000\r\n\tb\u007f\u0085.txt', 'ab.txt'],
    ['safe\u202Egpj.exe', 'safegpj.exe'],
    ['a\u200eb\u200fc\u061cd\u2067e.txt', 'abcde.txt'],
    ['..', ''],
    ['folder/', ''],
    ['  ', ''],
  ])('%j becomes %j', (sent, name) => expect(fileName(sent)).toBe(name));

  test('is truncated between characters and keeps its extension', () => {
    expect(shortenName('abcdef.jpeg', 8)).toBe('abc.jpeg');
    expect(shortenName('ab😀😀.jpg', 7)).toBe('ab.jpg');
    expect(shortenName('no extension', 5)).toBe('no ex');
  });

  test('is short, well-formed and without line breaks for any text', () => {
    const name = fc.string({ unit: 'binary', maxLength: 600, size: 'max' }).map(fileName);
    fc.assert(
      fc.property(name, (each) => {
        expect([each.length <= 255, each.isWellFormed(), /[\p{Cc}/\\]/u.test(each)]).toEqual([true, true, false]);
      }),
      { numRuns: 50 },
    );
  });
});

describe('a MIME type', () => {
  test.each([
    ['image/jpeg', 'image/jpeg'],
    [' Image/SVG+XML ; charset=utf-8', 'image/svg+xml'],
    ['application/vnd.ms-excel.sheet.macroEnabled.12', 'application/vnd.ms-excel.sheet.macroenabled.12'],
    ['jpeg', undefined],
    ['image/', undefined],
    ['image/jpeg\r\nx: y', undefined],
    ['image/jp"eg', undefined],
    ['a/b/c', undefined],
    [`${'a'.repeat(128)}/b`, undefined],
  ])('%j parses as %j', (text, type) => expect(mediaType(text)).toBe(type));

  test('is detected from the bytes, even truncated or invalid ones; else from the name; else it is unknown', async () => {
    expect(await detectType(samples.png, 'a.jpg')).toBe('image/png');
    expect(await detectType(samples.png.subarray(0, 5), 'a.jpg')).toBe('image/jpeg');
    expect(await detectType(Buffer.from('504b0304ffff', 'hex'), 'list.csv')).not.toBe('');
    expect(await detectType(Buffer.alloc(0), 'Unterschrift.SVG')).toBe('image/svg+xml');
    expect(await detectType(Buffer.from('hello'), '')).toBe('application/octet-stream');
  });

  test('is a valid type for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.string(), async (bytes, name) => {
        const type = await detectType(bytes, name);
        expect(mediaType(type)).toBe(type);
      }),
    );
  });
});
