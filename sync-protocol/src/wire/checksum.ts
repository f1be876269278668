/**
 * The checksum of a scope is the sum, modulo 2^32, of `documentHash(key, version)` over all live documents. Both sides
 * update it document by document, in any order. It detects a replica that diverges.
 */
export function documentHash(key: string, version: number): number {
  const label = `${key}@${version}`;
  // FNV-1a, 32 bits. Document keys are ASCII, so UTF-16 units are bytes.
  let hash = 0x811c9dc5;
  for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Adds a document to a checksum; `sign` -1 subtracts it. */
export const addToChecksum = (sum: number, key: string, version: number, sign: 1 | -1 = 1): number =>
  (sum + sign * documentHash(key, version)) >>> 0;
