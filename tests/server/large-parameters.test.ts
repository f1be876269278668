import { PassThrough } from 'node:stream';
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { sendLargeInPlace } from '../../server/src/db/pg-internals/large-parameters.ts';
import { createDatabase } from '../support/postgres.ts';
import { TestBytes } from '../support/test-bytes.ts';

const bytes = new TestBytes('large parameters');
const large = Buffer.from(bytes.take(40_000));
const other = Buffer.from(bytes.take(16_384));

const binds: [what: string, values: unknown[]][] = [
  ['a large one alone', [large]],
  ['large ones between small ones', ['Müller', large, null, 7, Buffer.from('small'), other, new Date(0), true]],
  ['large ones side by side', [large, other]],
  ['small ones alone', ['a', Buffer.from('b'), null]],
  ['none', []],
];

/** The chunks that a connection writes for these parameters. */
function written(values: unknown[], prepare: (connection: pg.Connection) => void = () => undefined): Buffer[] {
  const stream = new PassThrough();
  const pieces: Buffer[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece));
  const connection = new pg.Connection({ stream: () => stream });
  prepare(connection);
  new pg.Query({ name: 'save', text: 'select', values }).submit(connection);
  for (let left: unknown = stream.read(); left !== null; left = stream.read());
  return pieces;
}

describe('a statement with large parameters', () => {
  test.each(binds)('sends the same bytes: %s', (_what, values) => {
    expect(Buffer.concat(written(values, sendLargeInPlace))).toEqual(Buffer.concat(written(values)));
  });

  test('sends them without a copy', () => {
    const pieces = written(['a', large, other], sendLargeInPlace);
    expect(pieces.some((piece) => piece === large)).toBe(true);
    expect(pieces.some((piece) => piece === other)).toBe(true);
    expect(written(['a', large, other]).some((piece) => piece === large)).toBe(false);
  });

  test('stores them unchanged', async () => {
    const { pool } = await createDatabase({ empty: true });
    const { rows } = await pool.query({
      name: 'echo',
      text: 'select $1::bytea as a, $2::text as b, $3::bytea as c',
      values: [large, 'Müller', other],
    });
    expect(rows).toEqual([{ a: large, b: 'Müller', c: other }]);
  });
});
