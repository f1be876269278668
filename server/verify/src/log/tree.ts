import { hashOf, type Hashing } from '../hashing.ts';
import { concat, fromHex, isEqual } from './bytes.ts';

// Proofs of a Merkle tree by RFC 9162 §2.1.3.2 and §2.1.4.2. They need its size and root alone.

export interface Head {
  readonly size: number;
  readonly root: Uint8Array;
}

const digest = async (hashing: Hashing, ...parts: readonly Uint8Array[]): Promise<Uint8Array> =>
  fromHex(await hashOf(hashing, concat(...parts)));

/** A leaf has another prefix than a node, so that no node passes as a leaf. */
export const leafHash = (hashing: Hashing, entry: Uint8Array): Promise<Uint8Array> =>
  digest(hashing, Uint8Array.of(0), entry);

const nodeHash = (hashing: Hashing, left: Uint8Array, right: Uint8Array): Promise<Uint8Array> =>
  digest(hashing, Uint8Array.of(1), left, right);

/** A place in a tree: a node, and the last one of its level. Plain arithmetic: bit operators end at 32 bits. */
class Place {
  node: number;
  last: number;

  constructor(node: number, last: number) {
    this.node = node;
    this.last = last;
  }

  /** Whether the sibling is at the left. */
  get isRight(): boolean {
    return this.node % 2 === 1 || this.node === this.last;
  }

  rise(): void {
    this.node = Math.floor(this.node / 2);
    this.last = Math.floor(this.last / 2);
  }

  /** Passes the levels on which the node has no sibling. */
  riseAlone(): void {
    while (this.node % 2 === 0 && this.node !== 0) this.rise();
  }
}

/** Whether the path leads from the hash of leaf `index` to the root. */
export async function isIncluded(
  hashing: Hashing,
  leaf: Uint8Array,
  { index, path }: { readonly index: number; readonly path: readonly Uint8Array[] },
  { size, root }: Head,
): Promise<boolean> {
  if (index >= size) return false;
  const place = new Place(index, size - 1);
  let hash = leaf;
  for (const sibling of path) {
    if (place.last === 0) return false;
    if (place.isRight) {
      hash = await nodeHash(hashing, sibling, hash);
      place.riseAlone();
    } else hash = await nodeHash(hashing, hash, sibling);
    place.rise();
  }
  return place.last === 0 && isEqual(hash, root);
}

/** Whether the path shows that `later` begins with all leaves of `earlier`. */
export async function isConsistent(
  hashing: Hashing,
  earlier: Head,
  later: Head,
  path: readonly Uint8Array[],
): Promise<boolean> {
  if (earlier.size > later.size) return false;
  if (earlier.size === later.size) return path.length === 0 && isEqual(earlier.root, later.root);
  // Every tree begins with the empty one, which so proves nothing.
  if (earlier.size === 0) return false;
  const place = new Place(earlier.size - 1, later.size - 1);
  while (place.node % 2 === 1) place.rise();
  // The earlier tree itself is the first hash where it is a complete subtree.
  const [first, ...rest] = place.node === 0 ? [earlier.root, ...path] : path;
  if (first === undefined) return false;
  let [old, young] = [first, first];
  for (const hash of rest) {
    if (place.last === 0) return false;
    if (place.isRight) {
      old = await nodeHash(hashing, hash, old);
      young = await nodeHash(hashing, hash, young);
      place.riseAlone();
    } else young = await nodeHash(hashing, young, hash);
    place.rise();
  }
  return place.last === 0 && isEqual(old, earlier.root) && isEqual(young, later.root);
}
