import { createHash } from 'node:crypto';

/** RFC 6962 §2.1, written as its recursive definitions: slow, and independent of the product. */

const sha256 = (...parts: readonly Uint8Array[]): Buffer => createHash('sha256').update(Buffer.concat(parts)).digest();

const splitOf = (n: number): number => 2 ** Math.ceil(Math.log2(n) - 1);

export function naiveRoot(entries: readonly Buffer[]): Buffer {
  const [first] = entries;
  if (first === undefined) return sha256();
  if (entries.length === 1) return sha256(Buffer.of(0), first);
  const k = splitOf(entries.length);
  return sha256(Buffer.of(1), naiveRoot(entries.slice(0, k)), naiveRoot(entries.slice(k)));
}

export function naivePath(m: number, entries: readonly Buffer[]): Buffer[] {
  if (entries.length === 1) return [];
  const k = splitOf(entries.length);
  return m < k
    ? [...naivePath(m, entries.slice(0, k)), naiveRoot(entries.slice(k))]
    : [...naivePath(m - k, entries.slice(k)), naiveRoot(entries.slice(0, k))];
}

export function naiveGrowth(m: number, entries: readonly Buffer[], isWhole = true): Buffer[] {
  if (m === entries.length) return isWhole ? [] : [naiveRoot(entries)];
  const k = splitOf(entries.length);
  return m <= k
    ? [...naiveGrowth(m, entries.slice(0, k), isWhole), naiveRoot(entries.slice(k))]
    : [...naiveGrowth(m - k, entries.slice(k), false), naiveRoot(entries.slice(0, k))];
}
