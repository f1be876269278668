import { createHash } from 'node:crypto';
import type { Hashing } from './hashing.ts';

/** SHA-256 by Node, part by part. */
export const nodeHashing: Hashing = () => {
  const hash = createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), digest: async () => hash.digest('hex') };
};
