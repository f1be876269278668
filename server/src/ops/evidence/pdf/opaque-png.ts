import { inflateSync } from 'node:zlib';
import { encodePng, pngSignature } from '../../../runtime/png.ts';

// pdfkit decodes a PNG with transparency in a callback, where damaged bytes throw past every handler. So such a picture
// becomes an opaque one first. Other PNGs go into the document as they are: it never decodes them.

/** A decoded PNG takes four bytes a pixel: a crafted one of a few kilobytes would fill the memory. */
const maxPixels = 8_000_000;

export const isPng = (bytes: Uint8Array): boolean => pngSignature.every((byte, i) => bytes[i] === byte);

interface Head {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  readonly colourType: number;
  readonly isInterlaced: boolean;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

/** The PNG on white. @throws Error with the reason where it cannot be shown */
export function opaquePng(bytes: Uint8Array): Uint8Array {
  const chunks = [...chunksOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))];
  const head = headOf(chunks);
  const { width, height, depth, colourType } = head;
  if (width * height > maxPixels) throw new Error(`it has more than ${maxPixels / 1_000_000} megapixels`);
  if (head.isInterlaced) throw new Error('it is an interlaced PNG');
  if (chunks.some(({ type }) => type === 'tRNS')) throw new Error('its transparency has a form that is not supported');
  const channels = channelsWithAlpha[colourType];
  if (channels === undefined) return bytes;
  const sample = depth === 16 ? 2 : 1;
  const line = width * channels * sample;
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const lines = inflateSync(packed, { maxOutputLength: height * (line + 1) });
  if (lines.length < height * (line + 1)) throw new Error('it is damaged');
  unfilter(lines, { line, height, step: channels * sample });
  const white = onWhite(lines, { line, width, height, channels, sample });
  return encodePng({ width, height, channels: channels === 2 ? 1 : 3, lines: white });
}

/** Channels by colour type, for those with an alpha channel: grey, and red, green, blue. */
const channelsWithAlpha: Readonly<Record<number, number>> = { 4: 2, 6: 4 };

function* chunksOf(bytes: Buffer): Generator<Chunk> {
  for (let at = pngSignature.length; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > bytes.length) throw new Error('it is cut off');
    yield { type: bytes.toString('latin1', at + 4, at + 8), data: bytes.subarray(at + 8, end) };
    at = end + 4;
  }
}

function headOf([first]: readonly Chunk[]): Head {
  if (first?.type !== 'IHDR' || first.data.length < 13) throw new Error('it is damaged');
  const { data } = first;
  const [depth = 0, colourType = 0, , , interlace = 0] = data.subarray(8);
  const head = { width: data.readUInt32BE(0), height: data.readUInt32BE(4), depth, colourType };
  if (head.width === 0 || head.height === 0 || ![1, 2, 4, 8, 16].includes(depth)) throw new Error('it is damaged');
  return { ...head, isInterlaced: interlace !== 0 };
}

interface Lines {
  readonly line: number;
  readonly height: number;
  /** Bytes of a pixel. */
  readonly step: number;
}

/** Undoes the filters in place (PNG §9). Each line begins with the number of its filter. */
function unfilter(lines: Buffer, { line, height, step }: Lines): void {
  for (let y = 0; y < height; y++) {
    const start = y * (line + 1) + 1;
    const filter = lines[start - 1] ?? 0;
    if (filter > 4) throw new Error('it is damaged');
    if (filter === 0) continue;
    for (let x = 0; x < line; x++) {
      const left = x < step ? 0 : (lines[start + x - step] ?? 0);
      const up = y === 0 ? 0 : (lines[start + x - line - 1] ?? 0);
      const corner = x < step || y === 0 ? 0 : (lines[start + x - step - line - 1] ?? 0);
      const guess = guesses[filter]?.(left, up, corner) ?? 0;
      lines[start + x] = ((lines[start + x] ?? 0) + guess) & 0xff;
    }
  }
}

type Guess = (left: number, up: number, corner: number) => number;
const guesses: readonly Guess[] = [
  () => 0,
  (left) => left,
  (_left, up) => up,
  (left, up) => (left + up) >> 1,
  (left, up, corner) => {
    const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
    return a <= b && a <= c ? left : b <= c ? up : corner;
  },
];

interface Pixels {
  readonly line: number;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly sample: number;
}

/** Lines of eight bits a channel without alpha, each with the filter 0. */
function onWhite(lines: Buffer, { line, width, height, channels, sample }: Pixels): Buffer {
  const colours = channels - 1;
  const out = Buffer.alloc(height * (width * colours + 1));
  let to = 0;
  for (let y = 0; y < height; y++) {
    to += 1;
    let from = y * (line + 1) + 1;
    for (let x = 0; x < width; x++) {
      const alpha = (lines[from + colours * sample] ?? 0) / 255;
      for (let c = 0; c < colours; c++)
        out[to++] = Math.round((lines[from + c * sample] ?? 0) * alpha + 255 * (1 - alpha));
      from += channels * sample;
    }
  }
  return out;
}
