import { crc32, deflateSync } from 'node:zlib';

/** The first bytes of each PNG file. */
export const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The numbers of the format, by channels: grey, red-green-blue, red-green-blue-alpha. */
const colourTypes = { 1: 0, 3: 2, 4: 6 } as const;

interface PngPicture {
  readonly width: number;
  readonly height: number;
  readonly channels: keyof typeof colourTypes;
  /** Eight bits a channel. Each line begins with a 0, the number of the filter that does nothing. */
  readonly lines: Uint8Array;
}

/** A PNG file of a picture, without interlacing. */
export function encodePng({ width, height, channels, lines }: PngPicture): Buffer<ArrayBuffer> {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, colourTypes[channels]], 8);
  return Buffer.concat([
    pngSignature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
