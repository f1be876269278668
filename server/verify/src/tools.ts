import type { Hashing } from './hashing.ts';

export type DigestName = 'SHA-256' | 'SHA-384' | 'SHA-512';

/** The cryptography of the machine. */
export interface Tools {
  readonly hashing: Hashing;
  /** Whether 64 bytes are an Ed25519 signature of the text. @param key its 32 public bytes */
  readonly isSigned: (key: Uint8Array, text: Uint8Array, signature: Uint8Array) => Promise<boolean>;
  readonly digest: (hash: DigestName, bytes: Uint8Array) => Promise<Uint8Array>;
  /** Whether a signature (RSA, PKCS #1 v1.5) is one of the text. @param key SubjectPublicKeyInfo */
  readonly isSignedByRsa: (
    key: Uint8Array,
    text: Uint8Array,
    signature: Uint8Array,
    hash: DigestName,
  ) => Promise<boolean>;
}
