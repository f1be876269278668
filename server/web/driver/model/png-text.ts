const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
/** The signature, and the chunk IHDR with its 13 bytes. */
const afterHead = signature.length + 4 + 4 + 13 + 4;

/**
 * Adds texts to a PNG, as chunks of the type iTXt: UTF-8, uncompressed, each with its keyword. Programs that show the
 * picture skip them.
 *
 * @throws Error where the bytes are not a PNG
 */
export function withTexts(
  png: Uint8Array<ArrayBuffer>,
  texts: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  if (png.length < afterHead || signature.some((byte, i) => png[i] !== byte)) throw new Error('the bytes are no PNG');
  const chunks = Object.entries(texts).map(([keyword, text]) =>
    // Keyword, no compression, no language, no translated keyword.
    chunk(new TextEncoder().encode(`iTXt${keyword}\0\0\0\0\0${text}`)),
  );
  const parts = [png.subarray(0, afterHead), ...chunks, png.subarray(afterHead)];
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** @param body type and data */
function chunk(body: Uint8Array): Uint8Array {
  const whole = new Uint8Array(body.length + 8);
  const view = new DataView(whole.buffer);
  view.setUint32(0, body.length - 4);
  whole.set(body, 4);
  view.setUint32(body.length + 4, crc32(body));
  return whole;
}

/** Of PNG, bit by bit: the texts are short. */
function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}
