import { createHash, createPublicKey, verify } from 'node:crypto';
import type { DigestName, Tools } from './tools.ts';

const nameOf = (hash: DigestName): string => hash.replace('-', '').toLowerCase();

/** The cryptography of Node. It hashes part by part. */
export const nodeTools: Tools = {
  hashing: () => {
    const hash = createHash('sha256');
    return { update: (bytes) => void hash.update(bytes), digest: async () => hash.digest('hex') };
  },
  isSigned: async (key, text, signature) => {
    const x = Buffer.from(key).toString('base64url');
    const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
    return signature.length === 64 && verify(null, text, publicKey, signature);
  },
  digest: async (hash, bytes) => createHash(nameOf(hash)).update(bytes).digest(),
  isSignedByRsa: async (key, text, signature, hash) => {
    try {
      const publicKey = createPublicKey({ format: 'der', type: 'spki', key: Buffer.from(key) });
      return publicKey.asymmetricKeyType === 'rsa' && verify(nameOf(hash), text, publicKey, signature);
    } catch {
      // Bytes that are no key.
      return false;
    }
  },
};
