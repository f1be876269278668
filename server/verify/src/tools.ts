import type { Hashing } from './hashing.ts';

/** The cryptography of the machine. */
export interface Tools {
  readonly hashing: Hashing;
  /** Whether 64 bytes are an Ed25519 signature of the text. @param key its 32 public bytes */
  readonly isSigned: (key: Uint8Array, text: Uint8Array, signature: Uint8Array) => Promise<boolean>;
}
