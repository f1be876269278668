/** Crockford's base32: digits and upper case without I, L, O and U. EBCDIC has all of them, and case is irrelevant. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Bytes of an id: 80 bits, encoded as sixteen characters of five bits (contract §3). */
export const assetIdBytes = 10;

/** Encodes ten bytes as an id. */
export function formatAssetId(bytes: Uint8Array): string {
  if (bytes.length !== assetIdBytes) throw new RangeError(`an asset id is of ${assetIdBytes} bytes`);
  let rest = bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
  let id = '';
  for (let i = 0; i < 16; i++) {
    id = alphabet.charAt(Number(rest & 31n)) + id;
    rest >>= 5n;
  }
  return id;
}

/** The input of an id that a device computes (protocol.md, Files). */
export interface AssetCommitment {
  /** The salt of the device's queue. It prevents guessing a file's content from its id. */
  readonly salt: string;
  /** In bytes. */
  readonly length: number;
  /** SHA-256 of the bytes, lower-case hexadecimal. */
  readonly sha256: string;
}

/** The text (UTF-8) whose SHA-256 begins with the ten bytes of the id. */
export const assetIdText = ({ salt, length, sha256 }: AssetCommitment): string => `${salt}\n${length}\n${sha256}`;

/** 16 to 64 characters of base64url: at least 96 bits, too many to guess. */
export const assetSalt = /^[A-Za-z0-9_-]{16,64}$/;
