import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  consistencyRanges,
  emptyRoot,
  HASH_BYTES,
  inclusionRanges,
  leafHash,
  proveConsistency,
  proveInclusion,
  rangeHash,
  rootOf,
  type ReadHashes,
} from '../../../server/src/tlog/format/merkle.ts';
import {
  edgeOf,
  growTiles,
  hashInTile,
  parseTilePath,
  tileOf,
  tilePath,
  tileWidth,
} from '../../../server/src/tlog/format/tiles.ts';
import { isConsistent, isIncluded } from '../../../server/src/tlog/format/verify.ts';
import vectors from './go-vectors.json' with { type: 'json' };
import { naiveGrowth, naivePath, naiveRoot } from './naive-tree.ts';

/** A tree in tiles that grows as the log does: from its edge alone. */
class TiledTree {
  size = 0;
  readonly tiles = new Map<string, Buffer>();

  grow(leaves: readonly Buffer[]): void {
    const edge = edgeOf(this.size).flatMap((place) => {
      const bytes = this.tiles.get(`${place.level}/${place.index}`);
      return bytes === undefined ? [] : [[place.level, bytes] as const];
    });
    for (const { place, bytes } of growTiles(this.size, new Map(edge), leaves))
      this.tiles.set(`${place.level}/${place.index}`, bytes);
    this.size += leaves.length;
  }

  /** Reads as a client does that has the tiles of a tree of `size` leaves. */
  readAt =
    (size: number): ReadHashes =>
    async (subtrees) =>
      subtrees.map((subtree) => {
        const { place } = tileOf(subtree);
        const bytes = this.tiles.get(`${place.level}/${place.index}`) ?? Buffer.alloc(0);
        return hashInTile(subtree, bytes.subarray(0, tileWidth(place, size) * HASH_BYTES));
      });
}

const entriesOf = (size: number): Buffer[] => Array.from({ length: size }, (_, at) => Buffer.from(`entry ${at}`));

/** Sizes near the borders of subtrees and tiles are as frequent as all others. */
const sizes = fc.oneof(
  fc.integer({ min: 1, max: 700 }),
  fc.constantFrom(1, 2, 3, 4, 7, 8, 9, 255, 256, 257, 511, 512, 513),
);

describe('Merkle trees', () => {
  test('have the roots of the vectors of Certificate Transparency', () => {
    const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
    const roots = [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
      'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    ];
    expect(emptyRoot().toString('hex')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    const tree = new TiledTree();
    return Promise.all(
      inputs.map(async (input, at) => {
        tree.grow([leafHash(Buffer.from(input, 'hex'))]);
        expect((await rootOf(at + 1, tree.readAt(at + 1))).toString('hex')).toBe(roots[at]);
      }),
    );
  });

  test('have the roots and proofs of Go, up to three levels of tiles', async () => {
    const tree = new TiledTree();
    tree.grow(entriesOf(70_000).map(leafHash));
    const text = (hashes: readonly Buffer[]): string[] => hashes.map((hash) => hash.toString('base64'));
    for (const [size, root] of Object.entries(vectors.roots))
      expect(text([await rootOf(Number(size), tree.readAt(Number(size)))])).toEqual([root]);
    for (const { index, size, proof } of vectors.inclusion)
      expect(text(await proveInclusion(index, size, tree.readAt(size)))).toEqual(proof);
    for (const { from, to, proof } of vectors.consistency)
      expect(text(await proveConsistency(from, to, tree.readAt(to)))).toEqual(proof);
  });

  test('equal the definitions of RFC 6962 at every size, however they grew', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(sizes, { minLength: 1, maxLength: 3 }),
        fc.nat(),
        fc.nat(),
        async (growth, one, other) => {
          const size = growth.reduce((sum, n) => sum + n, 0);
          const entries = entriesOf(size);
          const tree = new TiledTree();
          for (const n of growth) tree.grow(entries.slice(tree.size, tree.size + n).map(leafHash));
          const head = { size, root: await rootOf(size, tree.readAt(size)) };
          expect(head.root).toEqual(naiveRoot(entries));
          const index = one % size;
          const path = await proveInclusion(index, size, tree.readAt(size));
          expect(path).toEqual(naivePath(index, entries));
          expect(isIncluded(leafHash(Buffer.from(`entry ${index}`)), index, path, head)).toBe(true);
          const from = 1 + (other % size);
          const proof = await proveConsistency(from, size, tree.readAt(size));
          expect(proof).toEqual(naiveGrowth(from, entries));
          expect(isConsistent({ size: from, root: naiveRoot(entries.slice(0, from)) }, head, proof)).toBe(true);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('a proof holds for its own leaf, place, sizes and roots alone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 80 }), fc.nat(), fc.nat(), fc.nat(), (size, one, other, flip) => {
        const entries = entriesOf(size);
        const head = { size, root: naiveRoot(entries) };
        const index = one % size;
        const leaf = leafHash(entries[index] ?? Buffer.alloc(0));
        const path = naivePath(index, entries);
        const flipped = (hashes: readonly Buffer[]): Buffer[] =>
          hashes.map((hash, at) => {
            const copy = Buffer.from(hash);
            if (at === flip % hashes.length) copy.writeUInt8(copy.readUInt8(flip % 32) ^ 1, flip % 32);
            return copy;
          });
        expect(isIncluded(leaf, index, path, head)).toBe(true);
        expect(isIncluded(leaf, index, flipped(path), head)).toBe(false);
        expect(isIncluded(leaf, index, path.slice(1), head)).toBe(false);
        expect(isIncluded(leaf, index, [...path, leaf], head)).toBe(false);
        expect(isIncluded(leafHash(Buffer.from('another')), index, path, head)).toBe(false);
        expect(isIncluded(leaf, (index + 1) % size, path, head)).toBe(false);
        expect(isIncluded(leaf, size, path, head)).toBe(false);

        const from = 1 + (other % (size - 1));
        const earlier = { size: from, root: naiveRoot(entries.slice(0, from)) };
        const proof = naiveGrowth(from, entries);
        const rewritten = { size: from, root: naiveRoot([Buffer.from('another'), ...entries.slice(1, from)]) };
        expect(isConsistent(earlier, head, proof)).toBe(true);
        expect(isConsistent(rewritten, head, proof)).toBe(false);
        expect(isConsistent(earlier, head, flipped(proof))).toBe(false);
        expect(isConsistent(earlier, head, proof.slice(1))).toBe(false);
        expect(isConsistent(earlier, head, [...proof, leaf])).toBe(false);
        expect(isConsistent(head, earlier, proof)).toBe(false);
        expect(isConsistent(head, head, [])).toBe(true);
        expect(isConsistent(head, { size, root: leaf }, [])).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test('sizes beyond 32 bits keep exact places', () => {
    const size = 2 ** 40 + 3;
    expect(inclusionRanges(2 ** 40 + 2, size)).toEqual([
      { start: 2 ** 40, end: 2 ** 40 + 2 },
      { start: 0, end: 2 ** 40 },
    ]);
    expect(consistencyRanges(2 ** 40, size)).toEqual([{ start: 2 ** 40, end: size }]);
    expect(() => inclusionRanges(size, size)).toThrow('has no leaf');
    expect(() => consistencyRanges(size + 1, size)).toThrow('has not grown');
    expect(rangeHash([])).toEqual(emptyRoot());
  });
});

describe('tiles', () => {
  test('of a tree of 70,000 leaves have the widths of the specification', () => {
    const widths = [
      [{ level: 0, index: 272 }, 256],
      [{ level: 0, index: 273 }, 112],
      [{ level: 0, index: 274 }, 0],
      [{ level: 1, index: 0 }, 256],
      [{ level: 1, index: 1 }, 17],
      [{ level: 2, index: 0 }, 1],
      [{ level: 3, index: 0 }, 0],
    ] as const;
    for (const [place, width] of widths) expect(tileWidth(place, 70_000)).toBe(width);
  });

  test('have addresses that read back, and no second spelling', () => {
    expect(tilePath({ level: 1, index: 1_234_067 }, 112)).toBe('tile/1/x001/x234/067.p/112');
    expect(tilePath({ level: 0, index: 0 }, 256)).toBe('tile/0/000');
    expect(parseTilePath('1/x001/x234/067.p/112')).toEqual({ place: { level: 1, index: 1_234_067 }, width: 112 });
    const wrong = [
      '00/000',
      '0/0',
      '0/x000/001',
      '0/001/002',
      '0/x001',
      '0/000.p/0',
      '0/000.p/256',
      '0/000.p/01',
      '0/000.p/',
      '-1/000',
      '9/000',
      '0/000/',
      '../000',
      '0/x001/x001/x001/x001/x001/001',
    ];
    expect(wrong.filter((path) => parseTilePath(path) !== undefined)).toEqual([]);
    fc.assert(
      fc.property(
        fc.nat({ max: 5 }),
        fc.nat({ max: 999_999_999_999 }),
        fc.integer({ min: 1, max: 256 }),
        (level, index, width) => {
          const path = tilePath({ level, index }, width).replace('tile/', '');
          expect(parseTilePath(path)).toEqual({ place: { level, index }, width });
        },
      ),
    );
  });

  test('a tile that lacks a hash names the subtree', () => {
    expect(() => hashInTile({ level: 0, index: 5 }, Buffer.alloc(5 * 32))).toThrow('has no subtree 0/5');
    expect(() => growTiles(5, new Map([[0, Buffer.alloc(4 * 32)]]), [Buffer.alloc(32)])).toThrow('level 0 must have 5');
  });
});
