// The headers of a ZIP archive (PKWARE APPNOTE 6.3.10) as a pack has them. Each byte follows from the members, so that
// the verifier makes them anew and compares: a header can say nothing else.

/** A member as the directory lists it. */
export interface Entry {
  readonly name: Uint8Array;
  /** The place of its local header. */
  readonly offset: number;
  readonly size: number;
  readonly crc: number;
  /** Of a size that is unknown at its beginning: deflated in stored blocks, with a data descriptor. */
  readonly isStreamed: boolean;
  /** Bytes of its content in the archive. */
  readonly packed: number;
}

/** Size and CRC-32 of a member whose local header has them. */
export interface Known {
  readonly size: number;
  readonly crc: number;
}

export const localLength = 30;
export const descriptorLength = 16;
export const localSignature = 0x0403_4b50;
export const directorySignature = 0x0201_4b50;

/** The last block of a streamed member (RFC 1951 §3.2.4): stored, empty. */
export const lastBlock = Uint8Array.from([1, 0, 0, 0xff, 0xff]);
export const longestBlock = 0xffff;

const version = 20;
/** 1980-01-01 00:00, the first moment of ZIP. */
const [time, date] = [0, 0x21];
const [stored, deflated] = [0, 8];
/** Names are UTF-8; a data descriptor follows. */
const [utf8, streamed] = [0x800, 0x8];

type Field = readonly [bytes: 2 | 4, value: number];

function encode(fields: readonly Field[], name?: Uint8Array): Uint8Array {
  const length = fields.reduce((sum, [bytes]) => sum + bytes, 0);
  const out = new Uint8Array(length + (name?.length ?? 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  if (name) out.set(name, at);
  return out;
}

const kind = (isStreamed: boolean): Field[] => [
  [2, isStreamed ? utf8 | streamed : utf8],
  [2, isStreamed ? deflated : stored],
  [2, time],
  [2, date],
];

/** @param known absent for a streamed member */
export const localHeader = (name: Uint8Array, known?: Known): Uint8Array =>
  encode(
    [
      [4, localSignature],
      [2, version],
      ...kind(known === undefined),
      [4, known?.crc ?? 0],
      [4, known?.size ?? 0],
      [4, known?.size ?? 0],
      [2, name.length],
      [2, 0],
    ],
    name,
  );

export const descriptor = ({ crc, packed, size }: Entry): Uint8Array =>
  encode([
    [4, 0x0807_4b50],
    [4, crc],
    [4, packed],
    [4, size],
  ]);

const directoryEntry = ({ name, offset, size, crc, isStreamed, packed }: Entry): Uint8Array =>
  encode(
    [
      [4, directorySignature],
      [2, version],
      [2, version],
      ...kind(isStreamed),
      [4, crc],
      [4, packed],
      [4, size],
      [2, name.length],
      // Extra field, comment, disk, attributes.
      [4, 0],
      [4, 0],
      [4, 0],
      [4, offset],
    ].map(([bytes, value]): Field => [bytes === 2 ? 2 : 4, value ?? 0]),
    name,
  );

/** The directory and the end of an archive. @param offset the place of the directory */
export function archiveEnd(entries: readonly Entry[], offset: number): Uint8Array[] {
  const directory = entries.map(directoryEntry);
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = encode([
    [4, 0x0605_4b50],
    [4, 0],
    [2, entries.length],
    [2, entries.length],
    [4, size],
    [4, offset],
    [2, 0],
  ]);
  return [...directory, end];
}
