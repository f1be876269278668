import { createHash, randomUUID } from 'node:crypto';

/** An id for a change without one: UUID version 7 (RFC 9562), so that the ledger's key grows at its end. */
export function freshId(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  // The rest of a random UUID after its version, variant included, is reused here.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** An `Idempotency-Key` and its first use: after 30 days the same key names other changes. */
export interface KeyUse {
  readonly key: string;
  readonly since: Date;
}

/**
 * An id computed from the owner of a key, the key and the place in the body. A request that is sent again under its
 * `Idempotency-Key` thus names the same changes.
 */
export function keyedId(owner: string, { key, since }: KeyUse, index: number): string {
  return idOf(JSON.stringify([owner, `${since.toISOString()} ${key}`, index]));
}

/** An id computed from a text: UUID version 8. */
export function idOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
