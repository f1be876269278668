/**
 * Arrays in PostgreSQL's binary format, for parameters such as `$1::text[]`. In text form the driver escapes every
 * element and PostgreSQL unescapes it. For documents of a kilobyte that costs more than the statement itself.
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

/** For `boolean[]`. */
export const boolArray = (values: readonly boolean[]): Buffer =>
  fixedArray(BOOL, 1, values, (buffer, value, offset) => buffer.writeUInt8(value ? 1 : 0, offset));

/** For `smallint[]`. */
export const int2Array = (values: readonly (number | null)[]): Buffer =>
  fixedArray(INT2, 2, values, (buffer, value, offset) => buffer.writeInt16BE(value, offset));

/** For `integer[]`. */
export const int4Array = (values: readonly (number | null)[]): Buffer =>
  fixedArray(INT4, 4, values, (buffer, value, offset) => buffer.writeInt32BE(value, offset));

/** For `bigint[]`, of safe integers. */
export const int8Array = (values: readonly (number | null)[]): Buffer => fixedArray(INT8, 8, values, writeInt64);

/** For `timestamptz[]`; a number is milliseconds since 1970. */
export const instantArray = (values: readonly (Date | number | null)[]): Buffer =>
  fixedArray(TIMESTAMPTZ, 8, values, (buffer, instant, offset) =>
    writeMicroseconds(buffer, instant.valueOf() - YEAR_2000_MS, offset),
  );

/** For `uuid[]`. */
export const uuidArray = (values: readonly (string | null)[]): Buffer =>
  fixedArray(UUID, 16, values, (buffer, value, offset) => buffer.write(value.replaceAll('-', ''), offset, 16, 'hex'));

const BOOL = 16;
const INT2 = 21;
const INT4 = 23;
const INT8 = 20;
const TIMESTAMPTZ = 1184;
const UUID = 2950;
/** The zero of PostgreSQL's microseconds. */
const YEAR_2000_MS = Date.UTC(2000, 0, 1);

function fixedArray<Value>(
  elementType: number,
  width: number,
  values: readonly (Value | null)[],
  write: (buffer: Buffer, value: Value, offset: number) => void,
): Buffer {
  const nulls = values.reduce((count, value) => count + (value === null ? 1 : 0), 0);
  const buffer = arrayHeader(HEADER + 4 * values.length + width * (values.length - nulls), elementType, values.length);
  let offset = HEADER;
  for (const value of values) {
    offset = buffer.writeInt32BE(value === null ? -1 : width, offset);
    if (value === null) continue;
    write(buffer, value, offset);
    offset += width;
  }
  return buffer;
}

/** Two halves: a `BigInt` would allocate an object for each value. */
function writeInt64(buffer: Buffer, value: number, offset: number): void {
  buffer.writeInt32BE(Math.floor(value / 2 ** 32), offset);
  buffer.writeUInt32BE(value >>> 0, offset + 4);
}

/**
 * Multiplies by a thousand, half by half: one number would round times near the year 9999, which broken clocks report.
 */
function writeMicroseconds(buffer: Buffer, milliseconds: number, offset: number): void {
  const low = (milliseconds >>> 0) * 1000;
  buffer.writeInt32BE(Math.floor(milliseconds / 2 ** 32) * 1000 + Math.floor(low / 2 ** 32), offset);
  buffer.writeUInt32BE(low >>> 0, offset + 4);
}
