/** A JSON value as it can come out of `JSON.parse`. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * The canonical text of a JSON value (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers and strings
 * as ECMAScript prints them. Members whose value is `undefined` are left out, as `JSON.stringify` does.
 * Lone surrogates are escaped as `JSON.stringify` does; RFC 8785 forbids them, our schemas refuse them.
 *
 * Who imports it says `#canonical-json` (package.json): that is this module on a phone, which writes a few texts an hour,
 * and on Node the same text from the engine's own writer (`engine-json.ts`).
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
