import fc from 'fast-check';
import { brokenBytes, arbitraryJson, textOf, usually } from './json-values.ts';

/** A body with its headers. */
export interface Bodied {
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

const boundary = 'b0undary';

const names = fc.oneof(
  fc.constantFrom('photo.jpg', 'x.pdf', 'é.png', 'a"b.txt', '..\\..\\x', 'x'.repeat(400), '', '__proto__'),
  fc.constantFrom('%0d%0aset-cookie: a', 'a\\', '\u202egpj.exe', 'con', '.'),
  fc.string({ maxLength: 20 }).map((text) => text.replaceAll(/[\r\n]/g, '')),
);
const types = fc.constantFrom('image/jpeg', 'text/html', 'x', 'a/b; c="d', '', 'multipart/mixed', 'text/plain\ta');

/** @param field the usual one */
const filesIn = (field: string) =>
  fc
    .record({
      field: usually(field, fc.constantFrom('file', 'mimetypes', '__proto__', '', 'files[]')),
      name: names,
      type: types,
      bytes: fc.oneof(fc.uint8Array({ maxLength: 300 }), fc.constant(new Uint8Array(20_000))),
    })
    .map(({ field: named, name, type, bytes }) =>
      part(`form-data; name="${named}"; filename="${name}"\r\nContent-Type: ${type}`, Buffer.from(bytes)),
    );

const overrides = fc
  .oneof(fc.dictionary(names, fc.constantFrom('image/png', 'x', 'a/b\r\nc: d')), arbitraryJson)
  .map((value) => part('form-data; name="mimetypes"', textOf(value)));

const wholeOf = (field: string) =>
  fc
    .array(fc.oneof({ weight: 4, arbitrary: filesIn(field) }, overrides), { minLength: 1, maxLength: 4 })
    .map((parts) => Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]));

/**
 * Forms with files: names and types that imitate headers, malformed parts, bytes that break off.
 *
 * @param field the field of the files
 */
export function forms(field: string): fc.Arbitrary<Bodied> {
  const whole = wholeOf(field);
  const bytes = fc.oneof(
    { weight: 6, arbitrary: whole },
    { weight: 1, arbitrary: brokenBytes(whole) },
    { weight: 1, arbitrary: arbitraryJson.map(textOf) },
  );
  const contentType = usually(
    `multipart/form-data; boundary=${boundary}`,
    fc.constantFrom(
      'multipart/form-data',
      'multipart/form-data; boundary=',
      `multipart/form-data; boundary="${'x'.repeat(100)}"`,
      'application/json',
    ),
  );
  return fc.record({ headers: fc.record({ 'content-type': contentType }), bytes });
}

function part(disposition: string, bytes: Buffer): Buffer {
  const head = Buffer.from(`--${boundary}\r\nContent-Disposition: ${disposition}\r\n\r\n`);
  return Buffer.concat([head, bytes, Buffer.from('\r\n')]);
}
