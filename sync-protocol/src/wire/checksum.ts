/**
 * The checksum of a scope: the sum, modulo 2^32, of `documentHash(key, version)` over all live documents. Sums can be
 * kept up to date document by document, in any order, on both sides; a replica that diverges silently is found by it.
 */
export function documentHash(key: string, version: number): number {
  const label = `${key}@${version}`;
  // FNV-1a, 32 bits; document keys are ASCII, so that UTF-16 units are bytes.
  let hash = 0x811c9dc5;
  for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Adds a document to a checksum, or with `sign` -1 takes it away. */
export const addToChecksum = (sum: number, key: string, version: number, sign: 1 | -1 = 1): number =>
  (sum + sign * documentHash(key, version)) >>> 0;
