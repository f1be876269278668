import { crc32 } from 'node:zlib';

// A ZIP archive (PKWARE APPNOTE 6.3.10), written as it is read: nothing is held but the list of members. Equal members
// give equal bytes on every machine: all times are the same, and nothing is compressed (photos are compressed already).

/** A part of the archive. A member of unknown size has no `known`. */
export interface Member {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** Size and CRC-32, for a member whose header has them. */
  readonly known?: { readonly size: number; readonly crc: number } | undefined;
}

interface Written {
  readonly name: Buffer;
  readonly offset: number;
  readonly size: number;
  readonly crc: number;
  readonly isDeflated: boolean;
  readonly packed: number;
}

/** Sizes and places have 32 bits: larger archives need ZIP64, which the limits of a pack exclude. */
const most = 0xffff_ffff;

/** Writes members one after the other. @throws Error where the archive would exceed 4 GiB */
export async function* zip(members: AsyncIterable<Member>): AsyncGenerator<Uint8Array> {
  const written: Written[] = [];
  let offset = 0;
  for await (const member of members) {
    const start = offset;
    const name = Buffer.from(member.name, 'utf8');
    const { known } = member;
    const head = localHeader(name, known);
    yield head;
    offset += head.length;
    let [size, crc] = [0, 0];
    const isDeflated = known === undefined;
    const begin = offset;
    for await (const bytes of member.bytes) {
      size += bytes.length;
      crc = crc32(bytes, crc);
      for (const part of isDeflated ? storedBlocks(bytes) : [bytes]) {
        yield part;
        offset += part.length;
      }
      if (offset > most) throw new Error('a ZIP archive without ZIP64 ends at 4 GiB');
    }
    if (known && (known.size !== size || known.crc !== crc))
      throw new Error(`the bytes of ${member.name} have changed`);
    if (isDeflated) {
      yield lastBlock;
      offset += lastBlock.length;
    }
    const entry: Written = { name, offset: start, size, crc, isDeflated, packed: offset - begin };
    if (isDeflated) {
      const descriptor = descriptorOf(entry);
      yield descriptor;
      offset += descriptor.length;
    }
    written.push(entry);
  }
  const directory = Buffer.concat(written.map(centralHeader));
  yield Buffer.concat([directory, endRecord(written.length, directory.length, offset)]);
}

/** A member with its bytes at hand. */
export function wholeMember(name: string, text: string): Member {
  const bytes = Buffer.from(text, 'utf8');
  return { name, bytes: [bytes], known: { size: bytes.length, crc: crc32(bytes) } };
}

/**
 * A member of unknown size is deflated in stored blocks (RFC 1951 §3.2.4): its end is in its bytes, so that readers of a
 * stream find it, and no version of a compressor changes it.
 */
function* storedBlocks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += longestBlock) {
    const part = bytes.subarray(at, at + longestBlock);
    const head = Buffer.alloc(5);
    head.writeUInt16LE(part.length, 1);
    head.writeUInt16LE(~part.length & 0xffff, 3);
    yield head;
    yield part;
  }
}

const longestBlock = 0xffff;
const lastBlock = Buffer.from([1, 0, 0, 0xff, 0xff]);

/** 1980-01-01 00:00, the first moment of ZIP. */
const [time, date] = [0, 0x21];
const [stored, deflated] = [0, 8];
/** Names are UTF-8; a data descriptor follows. */
const [utf8, streamed] = [0x800, 0x8];

function localHeader(name: Buffer, known: Member['known']): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x0403_4b50, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(known ? utf8 : utf8 | streamed, 6);
  head.writeUInt16LE(known ? stored : deflated, 8);
  head.writeUInt16LE(time, 10);
  head.writeUInt16LE(date, 12);
  if (known) {
    head.writeUInt32LE(known.crc, 14);
    head.writeUInt32LE(known.size, 18);
    head.writeUInt32LE(known.size, 22);
  }
  head.writeUInt16LE(name.length, 26);
  return Buffer.concat([head, name]);
}

function descriptorOf({ crc, packed, size }: Written): Buffer {
  const descriptor = Buffer.alloc(16);
  descriptor.writeUInt32LE(0x0807_4b50, 0);
  descriptor.writeUInt32LE(crc, 4);
  descriptor.writeUInt32LE(packed, 8);
  descriptor.writeUInt32LE(size, 12);
  return descriptor;
}

function centralHeader({ name, offset, size, crc, isDeflated, packed }: Written): Buffer {
  const head = Buffer.alloc(46);
  head.writeUInt32LE(0x0201_4b50, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(20, 6);
  head.writeUInt16LE(isDeflated ? utf8 | streamed : utf8, 8);
  head.writeUInt16LE(isDeflated ? deflated : stored, 10);
  head.writeUInt16LE(time, 12);
  head.writeUInt16LE(date, 14);
  head.writeUInt32LE(crc, 16);
  head.writeUInt32LE(packed, 20);
  head.writeUInt32LE(size, 24);
  head.writeUInt16LE(name.length, 28);
  head.writeUInt32LE(offset, 42);
  return Buffer.concat([head, name]);
}

function endRecord(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}
