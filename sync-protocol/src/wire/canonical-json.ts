/** A JSON value, such as a result of `JSON.parse`. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * The canonical text of a JSON value (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers and strings
 * as ECMAScript prints them. Like `JSON.stringify`, it omits members whose value is `undefined` and escapes lone
 * surrogates. RFC 8785 forbids those, and the protocol's schemas refuse them.
 *
 * Importers use the name `#canonical-json` (package.json). It is this module on a phone, which writes a few texts an
 * hour. On Node it is `engine-json.ts`, which produces the same text by the engine's writer.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member: unknown = Reflect.get(value, key);
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}
