import type pg from 'pg';

/** Below this size a copy is cheaper than a separate write. */
const LARGE_BYTES = 16 * 1024;

/**
 * Makes a connection send large binary parameters without a copy. pg copies a statement's parameters into one message.
 * For photos that copy was half of the garbage. The parameters must not change before the statement has its answer.
 */
export function sendLargeInPlace(connection: pg.Connection): void {
  const copying = connection.bind.bind(connection);
  connection.bind = (config, more) => {
    const values = config?.values;
    if (!config || !values?.some(isLarge)) return copying(config, more);
    const { portal = '', statement = '', binary } = config;
    const map: (value: unknown, n: number) => unknown = config.valueMapper ?? same;
    const mapped = values.map(map);
    // The order of PostgreSQL's Bind message: names, formats of the parameters, parameters, format of answers.
    const pieces = [
      Buffer.from(`${portal}\0${statement}\0`),
      int16s([mapped.length, ...mapped.map((value) => (Buffer.isBuffer(value) ? 1 : 0)), mapped.length]),
      ...mapped.flatMap(parameter),
      int16s([1, binary ? 1 : 0]),
    ];
    const head = Buffer.alloc(5, 'B');
    const length = pieces.reduce((sum, piece) => sum + piece.length, 4);
    head.writeInt32BE(length, 1);
    // As in pg: a closed connection rejects its pending queries itself.
    if (!connection.stream.writable) return;
    for (const piece of joinSmall([head, ...pieces])) connection.stream.write(piece);
  };
}

const same = (value: unknown): unknown => value;
const isLarge = (value: unknown): value is Buffer => Buffer.isBuffer(value) && value.length >= LARGE_BYTES;

function parameter(value: unknown): Buffer[] {
  if (value === null || value === undefined) return [int32(-1)];
  if (!Buffer.isBuffer(value) && typeof value !== 'string') throw new TypeError(`a parameter is a ${typeof value}`);
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return [int32(bytes.length), bytes];
}

/** The bytes between two large parameters become one write. */
function joinSmall(pieces: readonly Buffer[]): Buffer[] {
  const joined: Buffer[] = [];
  let small: Buffer[] = [];
  for (const piece of pieces) {
    if (!isLarge(piece)) small.push(piece);
    else {
      joined.push(Buffer.concat(small), piece);
      small = [];
    }
  }
  return [...joined, Buffer.concat(small)];
}

function int32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int16s(values: readonly number[]): Buffer {
  const bytes = Buffer.allocUnsafe(2 * values.length);
  for (const [n, value] of values.entries()) bytes.writeInt16BE(value, 2 * n);
  return bytes;
}
