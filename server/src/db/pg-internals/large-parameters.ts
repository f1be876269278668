import type pg from 'pg';

/** Below, a copy is cheaper than a piece of its own. */
const LARGE_BYTES = 16 * 1024;

/**
 * Has a connection send large binary parameters from where they lie. pg puts a statement's parameters together in a
 * message of its own first: for photos that copy was half of what the collector had to clear away. They must not change
 * before the statement has its answer.
 */
export function sendLargeInPlace(connection: pg.Connection): void {
  const copying = connection.bind.bind(connection);
  connection.bind = (config, more) => {
    const values = config?.values;
    if (!config || !values?.some(isLarge)) return copying(config, more);
    const { portal = '', statement = '', binary } = config;
    const map: (value: unknown, n: number) => unknown = config.valueMapper ?? same;
    const mapped = values.map(map);
    // As PostgreSQL's protocol describes Bind, in its order: names, formats of the parameters, parameters, format of answers.
    const pieces = [
      Buffer.from(`${portal}\0${statement}\0`),
      int16s([mapped.length, ...mapped.map((value) => (Buffer.isBuffer(value) ? 1 : 0)), mapped.length]),
      ...mapped.flatMap(parameter),
      int16s([1, binary ? 1 : 0]),
    ];
    const head = Buffer.alloc(5, 'B');
    const length = pieces.reduce((sum, piece) => sum + piece.length, 4);
    head.writeInt32BE(length, 1);
    // As pg does: a connection that has gone tells those who wait by itself.
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

/** What lies between two large ones becomes one piece. */
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
