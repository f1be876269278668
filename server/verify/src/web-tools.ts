import { Collected } from './collected.ts';
import type { Tools } from './tools.ts';

/** The cryptography of a browser (WebCrypto). It hashes whole members, so a pack is in memory. */
export const webTools: Tools = {
  hashing: () => {
    const parts = new Collected('', Number.POSITIVE_INFINITY);
    return {
      update: (bytes) => parts.add(bytes),
      digest: async () => toHex(await crypto.subtle.digest('SHA-256', parts.whole())),
    };
  },
  isSigned: async (key, text, signature) => {
    const publicKey = await crypto.subtle
      .importKey('raw', key.slice(), 'Ed25519', false, ['verify'])
      .catch(unlessNoKey);
    if (!publicKey || signature.length !== 64) return false;
    return crypto.subtle.verify('Ed25519', publicKey, signature.slice(), text.slice());
  },
  digest: async (hash, bytes) => new Uint8Array(await crypto.subtle.digest(hash, bytes.slice())),
  isSignedByRsa: async (key, text, signature, hash) => {
    const rsa = { name: 'RSASSA-PKCS1-v1_5', hash };
    const publicKey = await crypto.subtle.importKey('spki', key.slice(), rsa, false, ['verify']).catch(unlessNoKey);
    return publicKey !== undefined && crypto.subtle.verify(rsa, publicKey, signature.slice(), text.slice());
  },
};

/** A browser that lacks the algorithm is an error; bytes that are no key are none. */
function unlessNoKey(error: unknown): undefined {
  if (!(error instanceof DOMException && error.name === 'DataError')) throw error;
}

const toHex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
