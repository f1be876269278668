import { completeHash, HASH_BYTES, type Subtree } from './merkle.ts';

/**
 * Tiles of a log (c2sp.org/tlog-tiles): 256 hashes of one level, and each hash of a level above is that of a full tile.
 * A partial tile of width W is the beginning of the later full one, so a stored tile contains all earlier ones.
 */

export interface TilePlace {
  readonly level: number;
  readonly index: number;
}

/** Levels of the tree that one level of tiles covers. */
const TILE_HEIGHT = 8;
const TILE_WIDTH = 2 ** TILE_HEIGHT;
/** 256^6 leaves are 2^48: numbers stay exact. */
const MAX_LEVEL = 5;

/** The number of hashes that a tile has in a tree of `size` leaves: 0 up to 256. */
export function tileWidth({ level, index }: TilePlace, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** level) - index * TILE_WIDTH;
  return Math.max(0, Math.min(hashes, TILE_WIDTH));
}

/** The tile of a subtree's hash, and where its parts lie in it. */
export function tileOf({ level, index }: Subtree): { place: TilePlace; from: number; width: number } {
  const tileLevel = Math.floor(level / TILE_HEIGHT);
  const width = 2 ** (level % TILE_HEIGHT);
  const first = index * width;
  const tile = Math.floor(first / TILE_WIDTH);
  return { place: { level: tileLevel, index: tile }, from: first - tile * TILE_WIDTH, width };
}

/** The hash of a subtree from the bytes of its tile. @throws RangeError if the tile is too short */
export function hashInTile(subtree: Subtree, tile: Uint8Array): Buffer {
  const { from, width } = tileOf(subtree);
  const bytes = Buffer.from(tile).subarray(from * HASH_BYTES, (from + width) * HASH_BYTES);
  if (bytes.length !== width * HASH_BYTES)
    throw new RangeError(
      `a tile of ${tile.length / HASH_BYTES} hashes has no subtree ${subtree.level}/${subtree.index}`,
    );
  return completeHash(hashesOf(bytes));
}

/** The hashes of a tile. */
const hashesOf = (tile: Uint8Array): Buffer[] =>
  Array.from({ length: tile.length / HASH_BYTES }, (_, at) =>
    Buffer.from(tile.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)),
  );

/** `tile/0/x001/x234/067.p/112`: the address of a tile below its log. */
export function tilePath({ level, index }: TilePlace, width: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g) ?? [];
  const path = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  return `tile/${level}/${path}${width < TILE_WIDTH ? `.p/${width}` : ''}`;
}

/** Reads an address such as `0/x001/234.p/7`, without `tile/`; undefined for any other text. */
export function parseTilePath(path: string): { place: TilePlace; width: number } | undefined {
  const match = /^(\d)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/.exec(path);
  if (!match) return undefined;
  const [, level = '', groups = '', partial] = match;
  const place = { level: Number(level), index: Number(groups.replace(/[x/]/g, '')) };
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  if (place.level > MAX_LEVEL || (partial !== undefined && width >= TILE_WIDTH)) return undefined;
  // Only the shortest form is an address: `x000/001` is none.
  return tilePath(place, width) === `tile/${path}` ? { place, width } : undefined;
}

/** The tiles that the growth from one size to another changes, with the hashes that each gains. */
export interface Growth {
  readonly place: TilePlace;
  /** The whole tile after the growth. */
  readonly bytes: Buffer;
}

/**
 * Appends hashes of leaves to a tree of `size` leaves. `tiles` are the partial tiles at its right edge, one a level,
 * by level. Returns every tile that has grown.
 */
export function growTiles(size: number, tiles: ReadonlyMap<number, Buffer>, leaves: readonly Buffer[]): Growth[] {
  const grown: Growth[] = [];
  let fresh: readonly Buffer[] = leaves;
  for (let level = 0; fresh.length > 0; level++) {
    const before = Math.floor(size / TILE_WIDTH ** level);
    let index = Math.floor(before / TILE_WIDTH);
    let bytes = before % TILE_WIDTH === 0 ? Buffer.alloc(0) : partialOf(tiles, level, before % TILE_WIDTH);
    const full: Buffer[] = [];
    for (let at = 0; at < fresh.length;) {
      const free = TILE_WIDTH - bytes.length / HASH_BYTES;
      bytes = Buffer.concat([bytes, ...fresh.slice(at, at + free)]);
      at += free;
      grown.push({ place: { level, index }, bytes });
      if (bytes.length === TILE_WIDTH * HASH_BYTES) {
        full.push(completeHash(hashesOf(bytes)));
        [bytes, index] = [Buffer.alloc(0), index + 1];
      }
    }
    fresh = full;
  }
  return grown;
}

function partialOf(tiles: ReadonlyMap<number, Buffer>, level: number, width: number): Buffer {
  const tile = tiles.get(level);
  if (tile?.length !== width * HASH_BYTES)
    throw new RangeError(`the partial tile of level ${level} must have ${width} hashes`);
  return tile;
}

/** The partial tiles at the right edge of a tree, one a level. */
export function edgeOf(size: number): TilePlace[] {
  const edge: TilePlace[] = [];
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH))
    if (hashes % TILE_WIDTH !== 0) edge.push({ level, index: Math.floor(hashes / TILE_WIDTH) });
  return edge;
}
