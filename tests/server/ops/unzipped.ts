import { crc32, inflateRawSync } from 'node:zlib';

/** The members of a ZIP archive in their order, read by its directory. Sizes and CRCs are checked, also in the headers. */
export function unzipped(archive: Buffer): Map<string, Buffer> {
  const end = archive.length - 22;
  if (archive.readUInt32LE(end) !== 0x0605_4b50) throw new Error('no end record');
  const members = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let n = archive.readUInt16LE(end + 10); n > 0; n--) {
    if (archive.readUInt32LE(at) !== 0x0201_4b50) throw new Error(`no directory entry at ${at}`);
    const [method, crc] = [archive.readUInt16LE(at + 10), archive.readUInt32LE(at + 16)];
    const [packed, size] = [archive.readUInt32LE(at + 20), archive.readUInt32LE(at + 24)];
    const name = archive.toString('utf8', at + 46, at + 46 + archive.readUInt16LE(at + 28));
    const local = archive.readUInt32LE(at + 42);
    if (archive.readUInt32LE(local) !== 0x0403_4b50) throw new Error(`${name} has no local header`);
    if (archive.readUInt16LE(local + 8) !== method) throw new Error(`the headers of ${name} differ`);
    const begin = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const bytes = archive.subarray(begin, begin + packed);
    const content = method === 8 ? inflateRawSync(bytes) : bytes;
    if (content.length !== size || crc32(content) !== crc) throw new Error(`${name} is damaged`);
    if (members.has(name)) throw new Error(`${name} is there twice`);
    members.set(name, content);
    at += 46 + archive.readUInt16LE(at + 28);
  }
  return members;
}
