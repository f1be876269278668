/** SHA-256 of bytes that come part by part. */
export interface Hash {
  update(bytes: Uint8Array): void;
  /** Hexadecimal. */
  digest(): Promise<string>;
}

/** Begins a SHA-256. Node streams it; WebCrypto needs the whole. */
export type Hashing = () => Hash;

export async function hashOf(hashing: Hashing, bytes: Uint8Array): Promise<string> {
  const hash = hashing();
  hash.update(bytes);
  return hash.digest();
}
