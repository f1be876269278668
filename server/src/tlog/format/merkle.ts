import { hash } from 'node:crypto';

/**
 * The Merkle tree of RFC 6962 §2.1. A tree of any size consists of complete subtrees, and each proof is a list of hashes
 * of ranges. The functions here name the complete subtrees of a range; the caller reads their hashes.
 */

/** A complete subtree: the leaves `index * 2^level` up to, not including, `(index + 1) * 2^level`. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** The leaves `start` up to, not including, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Returns the hashes of these subtrees, in their order. */
export type ReadHashes = (subtrees: readonly Subtree[]) => Promise<readonly Buffer[]>;

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** In one call: half of the time of a hash that takes the parts one after the other. */
const sha256 = (...parts: readonly Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer');

export const HASH_BYTES = 32;

/** The root of a tree without leaves. */
export const emptyRoot = (): Buffer => sha256();

/** A leaf has another prefix than a node, so that no node passes as a leaf. */
export const leafHash = (entry: Uint8Array): Buffer => sha256(LEAF, entry);

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(NODE, left, right);

/** The complete subtrees of a range that begins at a multiple of the largest of them, from left to right. */
function subtreesOf({ start, end }: Range): Subtree[] {
  const subtrees: Subtree[] = [];
  for (let at = start; at < end;) {
    let level = 0;
    // Plain arithmetic: bit operators end at 32 bits, a log does not.
    while (at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) <= end) level++;
    subtrees.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return subtrees;
}

/** The hash of a range from the hashes of its complete subtrees. */
export function rangeHash(hashes: readonly Uint8Array[]): Buffer {
  let total: Uint8Array | undefined;
  for (const left of hashes.toReversed()) total = total === undefined ? left : nodeHash(left, total);
  return total === undefined ? emptyRoot() : Buffer.from(total);
}

/** The hash of a complete subtree from the hashes of its equal parts, whose number is a power of two. */
export function completeHash(hashes: readonly Buffer[]): Buffer {
  let level = hashes;
  while (level.length > 1) level = pairs(level);
  const [root] = level;
  if (!root) throw new RangeError('a complete subtree has at least one part');
  return root;
}

function pairs(hashes: readonly Buffer[]): Buffer[] {
  const above: Buffer[] = [];
  for (let at = 0; at < hashes.length; at += 2) {
    const [left, right] = [hashes[at], hashes[at + 1]];
    if (!left || !right) throw new RangeError(`${hashes.length} parts do not fill a complete subtree`);
    above.push(nodeHash(left, right));
  }
  return above;
}

/** The largest power of two that is smaller than `n`; `n` is at least 2. */
function splitOf(n: number): number {
  let split = 1;
  while (split * 2 < n) split *= 2;
  return split;
}

/** The ranges of PATH(index, D[size]) of RFC 6962 §2.1.1, from the leaf's sibling up to the root's child. */
export function inclusionRanges(index: number, size: number): Range[] {
  if (index < 0 || index >= size) throw new RangeError(`a tree of ${size} leaves has no leaf ${index}`);
  const ranges: Range[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
    if (index < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.toReversed();
}

/** The ranges of PROOF(from, D[to]) of RFC 6962 §2.1.2. Empty for equal sizes, and from an empty tree. */
export function consistencyRanges(from: number, to: number): Range[] {
  if (from < 0 || from > to) throw new RangeError(`a tree of ${to} leaves has not grown from one of ${from}`);
  if (from === 0 || from === to) return [];
  const ranges: Range[] = [];
  let [start, end] = [0, to];
  while (from !== end) {
    const middle = start + splitOf(end - start);
    if (from <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // The old tree is a complete subtree here: its hash is known, unless ranges lie left of it.
  if (start > 0) ranges.push({ start, end });
  return ranges.toReversed();
}

/** Reads the hashes of ranges with one call of `read`. */
async function hashRanges(ranges: readonly Range[], read: ReadHashes): Promise<Buffer[]> {
  const subtrees = ranges.map(subtreesOf);
  const hashes = await read(subtrees.flat());
  let at = 0;
  return subtrees.map(({ length }) => rangeHash(hashes.slice(at, (at += length))));
}

/** The root of a tree of `size` leaves. */
export const rootOf = async (size: number, read: ReadHashes): Promise<Buffer> =>
  rangeHash(await read(subtreesOf({ start: 0, end: size })));

/** The proof that leaf `index` is in the tree of `size` leaves. */
export const proveInclusion = (index: number, size: number, read: ReadHashes): Promise<Buffer[]> =>
  hashRanges(inclusionRanges(index, size), read);

/** The proof that the tree of `to` leaves begins with the tree of `from` leaves. */
export const proveConsistency = (from: number, to: number, read: ReadHashes): Promise<Buffer[]> =>
  hashRanges(consistencyRanges(from, to), read);
