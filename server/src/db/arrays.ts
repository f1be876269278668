/**
 * Arrays in PostgreSQL's binary format, for parameters such as `$1::text[]`. A driver's text form escapes every element
 * on one side and unescapes it on the other: for documents of a kilobyte that costs more than the statement itself.
 */
export function textArray(values: readonly (string | null)[]): Buffer {
  let size = HEADER;
  const lengths = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    const length = value == null ? -1 : Buffer.byteLength(value);
    lengths[i] = length;
    size += 4 + Math.max(length, 0);
  }
  const buffer = arrayHeader(size, TEXT, values.length);
  let offset = HEADER;
  for (let i = 0; i < values.length; i++) {
    const length = lengths[i] ?? -1;
    offset = buffer.writeInt32BE(length, offset);
    if (length > 0) offset += buffer.write(values[i] ?? '', offset, 'utf8');
  }
  return buffer;
}

export function byteaArray(values: readonly (Uint8Array | null)[]): Buffer {
  const size = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), HEADER);
  const buffer = arrayHeader(size, BYTEA, values.length);
  let offset = HEADER;
  for (const value of values) {
    offset = buffer.writeInt32BE(value?.length ?? -1, offset);
    if (value) {
      buffer.set(value, offset);
      offset += value.length;
    }
  }
  return buffer;
}

const TEXT = 25;
const BYTEA = 17;
/** Dimensions, a flag for nulls, the element's type, length and lower bound: five 32-bit integers. */
const HEADER = 20;

function arrayHeader(size: number, elementType: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(size);
  buffer.writeInt32BE(1, 0);
  buffer.writeInt32BE(1, 4);
  buffer.writeInt32BE(elementType, 8);
  buffer.writeInt32BE(length, 12);
  buffer.writeInt32BE(1, 16);
  return buffer;
}
