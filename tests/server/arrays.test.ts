import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  boolArray,
  byteaArray,
  instantArray,
  int2Array,
  int4Array,
  int8Array,
  textArray,
  uuidArray,
} from '../../server/src/db/arrays.ts';
import { createDatabase } from '../support/postgres.ts';

const { pool } = await createDatabase({ empty: true });

const column = <Value>(value: fc.Arbitrary<Value>) => fc.array(fc.option(value, { freq: 6 }), { maxLength: 5 });
const integer = (bits: number) =>
  column(fc.oneof(fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 }), fc.constantFrom(0, -1)));
/** Years that ISO 8601 writes with four digits, as any device's clock may report them. */
const instant = fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') });

/** Columns of a statement's parameter by the type of their elements. */
const columns = fc.record({
  text: column(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'NULL', '"\\{,}', '\ud800'))),
  bytea: column(fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes))),
  boolean: fc.array(fc.boolean()),
  smallint: integer(16),
  integer: integer(32),
  bigint: column(fc.oneof(fc.maxSafeInteger(), fc.constantFrom(2 ** 32, -(2 ** 32), -1))),
  timestamptz: column(instant.filter((day) => !Number.isNaN(day.getTime()))),
  uuid: column(fc.uuid()),
});

it('the binary encoding has the same values as the driver’s text', async () => {
  const types = ['text', 'bytea', 'boolean', 'smallint', 'integer', 'bigint', 'timestamptz', 'uuid'];
  const isSame = types.map((type, i) => `$${2 * i + 1}::${type}[] = $${2 * i + 2}::${type}[] as "${type}"`).join(', ');
  await fc.assert(
    fc.asyncProperty(columns, async ({ text, bytea, boolean, smallint, integer: int4, bigint, timestamptz, uuid }) => {
      const withoutNul = text.map((word) => word?.replaceAll('\0', '') ?? null);
      const pairs = [
        [textArray(withoutNul), withoutNul],
        [byteaArray(bytea), bytea],
        [boolArray(boolean), boolean],
        [int2Array(smallint), smallint],
        [int4Array(int4), int4],
        [int8Array(bigint), bigint],
        [instantArray(timestamptz), timestamptz.map((day) => day?.toISOString() ?? null)],
        [uuidArray(uuid), uuid],
      ];
      const { rows } = await pool.query({ name: 'same', text: `select ${isSame}`, values: pairs.flat() });
      expect(rows).toEqual([Object.fromEntries(types.map((type) => [type, true]))]);
    }),
  );
});

it('leaves a NUL to PostgreSQL, which refuses the data', async () => {
  const statement = pool.query('select $1::text[]', [textArray(['a\0b'])]);
  await expect(statement).rejects.toMatchObject({ code: '22021' });
});
