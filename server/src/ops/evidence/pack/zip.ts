import { crc32 } from 'node:zlib';
import {
  archiveEnd,
  descriptor,
  lastBlock,
  localHeader,
  longestBlock,
  type Entry,
  type Known,
} from '../../../../verify/src/archive/headers.ts';

// A ZIP archive (PKWARE APPNOTE 6.3.10), written as it is read: nothing is held but the list of members. Equal members
// give equal bytes on every machine: all times are the same, and nothing is compressed (photos are compressed already).

/** A part of the archive. A member of unknown size has no `known`. */
export interface Member {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
  /** For a member whose header has them. */
  readonly known?: Known | undefined;
}

/** Sizes and places have 32 bits: larger archives need ZIP64, which the limits of a pack exclude. */
const most = 0xffff_ffff;

/** Writes members one after the other. @throws Error where the archive would exceed 4 GiB */
export async function* zip(members: AsyncIterable<Member>): AsyncGenerator<Uint8Array> {
  const written: Entry[] = [];
  let offset = 0;
  for await (const member of members) {
    const start = offset;
    const name = Buffer.from(member.name, 'utf8');
    const { known } = member;
    const head = localHeader(name, known);
    yield head;
    offset += head.length;
    let [size, crc] = [0, 0];
    const isStreamed = known === undefined;
    const begin = offset;
    for await (const bytes of member.bytes) {
      size += bytes.length;
      crc = crc32(bytes, crc);
      for (const part of isStreamed ? storedBlocks(bytes) : [bytes]) {
        yield part;
        offset += part.length;
      }
      if (offset > most) throw new Error('a ZIP archive without ZIP64 ends at 4 GiB');
    }
    if (known && (known.size !== size || known.crc !== crc))
      throw new Error(`the bytes of ${member.name} have changed`);
    if (isStreamed) {
      yield lastBlock;
      offset += lastBlock.length;
    }
    const entry: Entry = { name, offset: start, size, crc, isStreamed, packed: offset - begin };
    if (isStreamed) {
      const bytes = descriptor(entry);
      yield bytes;
      offset += bytes.length;
    }
    written.push(entry);
  }
  yield Buffer.concat(archiveEnd(written, offset));
}

/** A member with its bytes at hand. */
export function wholeMember(name: string, content: string | Uint8Array): Member {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
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
