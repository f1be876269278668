import fc from 'fast-check';
import * as z from 'zod';

// JSON by a client that follows the schemas, and by one that attacks them.

type Schema = z.core.JSONSchema.BaseSchema;

/** Values by the name of their member, so that generated values match those in the database. */
export type Words = Readonly<Record<string, readonly (string | number | boolean)[]>>;

/** Values that no schema expects and that break databases, hosts and parsers elsewhere. */
export const arbitraryJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    ...[-1, -0, 0.5, 1e308, 2 ** 53, 2 ** 31, -(2 ** 63), 10_000_000, 1e-7],
    ...['\0', '\ud800', 'x\udfff', '\t', '\u0085', '\u2028', '𝄞', 'é'.normalize('NFD'), '\u202e', '', ' ', '\r\n'],
    ...['__proto__', 'constructor', 'toString', "';--", '%00', '${7*7}', '{{7*7}}', '<script>', '../../etc/passwd'],
    ...['9'.repeat(400), 'x'.repeat(3_000), '2026-02-30', '20261332', '9999-12-31T23:59:59Z', 'NaN', '1e400'],
    ...[[], {}, [[]], [null], { '': '' }, { length: 1 }, null, true],
  ),
);

/** JSON as bytes; `undefined` is no byte. */
export const textOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value) ?? '');

/** One value, and now and then another. */
export const usually = <Value>(value: Value, other: fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });

/** Values that a zod schema accepts, or nearly: rules that only code can express (an existing day) are left to chance. */
export function valuesOf(schema: z.core.$ZodType, words: Words): fc.Arbitrary<unknown> {
  return fromSchema(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), words, '');
}

function fromSchema(schema: Schema | boolean, words: Words, name: string): fc.Arbitrary<unknown> {
  if (typeof schema === 'boolean') return arbitraryJson;
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => fromSchema(choice, words, name)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom<unknown>(...schema.enum);
  switch (schema.type) {
    case 'object':
      return objects(schema, words);
    case 'array':
      return fc.array(fromSchema(items(schema), words, name), { maxLength: 4 });
    case 'string':
      return worded(name, words, 'string', strings(schema));
    case 'integer':
      return worded(name, words, 'number', fc.integer(bounds(schema)));
    case 'number':
      return worded(name, words, 'number', fc.double({ noNaN: true, noDefaultInfinity: true, ...bounds(schema) }));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return worded(name, words, undefined, arbitraryJson);
  }
}

function objects({ properties = {}, required = [], additionalProperties }: Schema, words: Words) {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [name, fromSchema(member, words, name)]),
  );
  const named: fc.Arbitrary<unknown> = fc.record(members, { requiredKeys: required });
  if (typeof additionalProperties !== 'object' || Object.keys(properties).length > 0) return named;
  return fc.dictionary(fc.string({ maxLength: 12 }), fromSchema(additionalProperties, words, ''), { maxKeys: 3 });
}

const items = ({ items: each }: Schema): Schema | boolean => (each === undefined || Array.isArray(each) ? true : each);

const bounds = ({ minimum, maximum }: Schema) => ({
  ...(minimum !== undefined && { min: Math.max(minimum, -(2 ** 31)) }),
  ...(maximum !== undefined && { max: Math.min(maximum, 2 ** 31 - 1) }),
});

const ordinary = 30;

function strings({ minLength = 0, maxLength = ordinary, pattern, format }: Schema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid();
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString());
  if (pattern !== undefined && format === undefined) return fc.stringMatching(new RegExp(pattern));
  const max = Math.max(minLength, Math.min(maxLength, ordinary));
  return fc.oneof(
    { weight: 8, arbitrary: fc.string({ minLength, maxLength: max }) },
    { weight: 2, arbitrary: fc.string({ minLength, maxLength: max, unit: 'grapheme' }) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(maxLength), 'é'.repeat(maxLength), 'x'.repeat(maxLength + 1)) },
  );
}

function worded(name: string, words: Words, type: 'string' | 'number' | undefined, other: fc.Arbitrary<unknown>) {
  const fitting = (words[name] ?? []).filter((word) => type === undefined || typeof word === type);
  if (fitting.length === 0) return other;
  return fc.oneof({ weight: 9, arbitrary: fc.constantFrom<unknown>(...fitting) }, { weight: 1, arbitrary: other });
}

/** Replaces one part of a value by rubbish, at a random path, or removes that part. */
export function corrupted(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const choices = fc.array(fc.nat(100), { minLength: 8, maxLength: 8 });
  return fc
    .tuple(values, choices, fc.option(arbitraryJson, { freq: 6 }))
    .map(([value, path, by]) => spoil(value, path, by));
}

/** A name that is no member of any schema: its value is left out. */
const gone = Symbol('left out');

function spoil(value: unknown, path: readonly number[], by: unknown): unknown {
  const changed = replace(value, path, by ?? gone);
  return changed === gone ? null : changed;
}

function replace(value: unknown, [choice = 0, ...choices]: readonly number[], by: unknown): unknown {
  if (typeof value !== 'object' || value === null) return by;
  const parts: [string, unknown][] = Object.entries(value);
  const index = choice % (parts.length + 1);
  if (index === parts.length) return by;
  const changed = parts
    .map(([name, part], at): [string, unknown] => [name, at === index ? replace(part, choices, by) : part])
    .filter(([, part]) => part !== gone);
  return Array.isArray(value) ? changed.map(([, part]) => part) : Object.fromEntries(changed);
}

/** A JSON text in which some bytes are others, too many, or missing. */
export function brokenBytes(texts: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const edit = fc.record({
    at: fc.nat(1_000_000),
    remove: fc.nat(4),
    insert: fc.oneof(
      fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom(
          '\0',
          '"',
          '{',
          '}',
          ',',
          '[[[[',
          '\\u0000',
          '\\ud800',
          '\\',
          '1e999',
          '-',
          '{"a":1,"a":2}',
          '\ufeff',
          '//',
        )
        .map((text) => Buffer.from(text)),
      fc.constantFrom(Buffer.from([0xff]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0xc0, 0xaf])),
    ),
  });
  return fc.tuple(texts, fc.array(edit, { minLength: 1, maxLength: 3 })).map(([text, edits]) => {
    let bytes = text;
    for (const { at, remove, insert } of edits) {
      const from = at % (bytes.length + 1);
      bytes = Buffer.concat([bytes.subarray(0, from), insert, bytes.subarray(from + remove)]);
    }
    return bytes;
  });
}
