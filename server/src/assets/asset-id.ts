/** Crockford's base32: digits and upper case without I, L, O and U; the same in EBCDIC, and no two differ by case alone. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Random bytes of an id: 80 bits, sixteen characters of five (contract §3). */
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
