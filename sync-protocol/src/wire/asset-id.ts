/** Crockford's base32: digits and upper case without I, L, O and U; the same in EBCDIC, and no two differ by case alone. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Bytes that an id spells: 80 bits, sixteen characters of five (contract §3). */
export const assetIdBytes = 10;

/** The id that ten bytes spell. */
export function spellAssetId(bytes: Uint8Array): string {
  if (bytes.length !== assetIdBytes) throw new RangeError(`an asset id is of ${assetIdBytes} bytes`);
  let rest = bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
  let id = '';
  for (let i = 0; i < 16; i++) {
    id = alphabet.charAt(Number(rest & 31n)) + id;
    rest >>= 5n;
  }
  return id;
}

/** What an id that a device makes commits to (protocol.md, Files). */
export interface AssetCommitment {
  /** Of the device's queue: without it nobody can tell from an id which bytes it stands for. */
  readonly salt: string;
  /** Bytes. */
  readonly length: number;
  /** SHA-256 of the bytes, lower-case hexadecimal. */
  readonly sha256: string;
}

/** The text (UTF-8) whose SHA-256 begins with the ten bytes of the id. */
export const assetIdText = ({ salt, length, sha256 }: AssetCommitment): string => `${salt}\n${length}\n${sha256}`;

/** 16 to 64 characters of base64url: at least 96 bits, so that it cannot be guessed. */
export const assetSalt = /^[A-Za-z0-9_-]{16,64}$/;
