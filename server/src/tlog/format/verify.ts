import { nodeHash } from './merkle.ts';

/**
 * The checks of Merkle proofs: RFC 9162 §2.1.3.2 and §2.1.4.2, the algorithms for the proofs of RFC 6962. They know
 * nothing of the tree but its size and root.
 */

export interface Head {
  readonly size: number;
  readonly root: Uint8Array;
}

const isOdd = (n: number): boolean => n % 2 === 1;
const half = (n: number): number => Math.floor(n / 2);
const equal = (one: Uint8Array, other: Uint8Array): boolean => Buffer.from(one).equals(other);

/** Whether the proof leads from the hash of a leaf to the root of the tree. */
export function isIncluded(leaf: Uint8Array, index: number, proof: readonly Uint8Array[], head: Head): boolean {
  if (index < 0 || index >= head.size) return false;
  let [node, last] = [index, head.size - 1];
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      hash = nodeHash(sibling, hash);
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else hash = nodeHash(hash, sibling);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && equal(hash, head.root);
}

/** Whether the proof shows that `later` begins with all leaves of `earlier`. */
export function isConsistent(earlier: Head, later: Head, proof: readonly Uint8Array[]): boolean {
  if (earlier.size < 0 || earlier.size > later.size) return false;
  if (earlier.size === later.size) return proof.length === 0 && equal(earlier.root, later.root);
  if (earlier.size === 0) return proof.length === 0;
  let [node, last] = [earlier.size - 1, later.size - 1];
  while (isOdd(node)) [node, last] = [half(node), half(last)];
  // The earlier tree itself is the first hash where it is a complete subtree.
  const [first, ...rest] = node === 0 ? [earlier.root, ...proof] : proof;
  if (first === undefined) return false;
  let [old, young] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (isOdd(node) || node === last) {
      [old, young] = [nodeHash(hash, old), nodeHash(hash, young)];
      while (!isOdd(node) && node !== 0) [node, last] = [half(node), half(last)];
    } else young = nodeHash(young, hash);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && equal(old, earlier.root) && equal(young, later.root);
}
