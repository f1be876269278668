import { encodePng } from '../../server/src/runtime/png.ts';

/** A real PNG of one colour, given as red, green, blue, alpha. */
export function png(
  width: number,
  height: number,
  colour: readonly [number, number, number, number],
): Buffer<ArrayBuffer> {
  const line = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 4, Uint8Array.from(colour))]);
  return encodePng({ width, height, channels: 4, lines: Buffer.concat(Array.from({ length: height }, () => line)) });
}
