import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HostAsset } from '../../../server/src/assets/host.ts';
import { assetHeader, assetPieces, hostPieceCount } from '../../../server/src/assets/host.ts';

const asset: HostAsset = {
  id: '0123456789ABCDEF',
  batch: 'ZZZZZZZZZZZZZZZZ',
  seq: 2,
  state: 'R',
  name: 'Rampe „Süd“ – Tor 4.jpg',
  mime: 'image/jpeg',
  size: 32_001,
  sha256: Buffer.alloc(32, 0xab),
};

describe('the row of ASSHDP', () => {
  test('all columns, the name in the characters of code page 37', () => {
    expect(assetHeader(asset, 'R')).toEqual({
      AHID: '0123456789ABCDEF',
      AHBAT: 'ZZZZZZZZZZZZZZZZ',
      AHSEQ: '2',
      AHNAM: 'Rampe "Süd" - Tor 4.jpg',
      AHMIM: 'image/jpeg',
      AHSIZ: '32001',
      AHSHA: 'ab'.repeat(32),
      AHCHKN: '3',
      AHSTS: 'R',
    });
  });

  test('an awaited file has blanks and zeros', () => {
    const awaited: HostAsset = { ...asset, state: 'L', name: '', mime: '', size: 0, sha256: null };
    expect(assetHeader(awaited, 'L')).toMatchObject({
      AHNAM: '',
      AHMIM: '',
      AHSIZ: '0',
      AHSHA: '',
      AHCHKN: '0',
      AHSTS: 'L',
    });
  });

  test('a long name is cut before its ending; a long type becomes unknown', () => {
    const mime = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
    const header = assetHeader({ ...asset, name: `${'…'.repeat(40)}.jpeg`, mime }, 'R');
    expect(header.AHNAM).toBe(`${'.'.repeat(59)}.jpeg`);
    expect(header.AHMIM).toBe('application/octet-stream');
  });
});

describe('the rows of ASSCHP', () => {
  test('bytes in pieces of any size become rows of 16,000 bytes', async () => {
    const cuts = fc.array(fc.uint8Array({ maxLength: 40_000, size: 'max' }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(cuts, async (chunks) => {
        const whole = Buffer.concat(chunks);
        const rows = [];
        for await (const row of assetPieces(asset.id, streamOf(chunks))) rows.push(row);
        expect(rows.length).toBe(hostPieceCount(whole.length));
        expect(rows.map(({ ACSEQ }) => ACSEQ)).toEqual(rows.map((_, i) => `${i + 1}`));
        for (const { ACID, ACLEN, ACDTA } of rows) {
          expect([ACID, ACLEN]).toEqual([asset.id, `${ACDTA.length}`]);
          expect(ACDTA.length).toBeLessThanOrEqual(16_000);
        }
        expect(Buffer.concat(rows.map(({ ACDTA }) => ACDTA)).equals(whole)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}
