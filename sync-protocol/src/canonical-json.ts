/** A JSON value as it can come out of `JSON.parse`. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * The canonical text of a JSON value (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers and strings
 * as ECMAScript prints them. Members whose value is `undefined` are left out, as `JSON.stringify` does.
 * Lone surrogates are escaped as `JSON.stringify` does; RFC 8785 forbids them, our schemas refuse them.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) {
    let text = '[';
    for (let i = 0; i < value.length; i++) text += (i > 0 ? ',' : '') + canonicalJson(value[i]);
    return text + ']';
  }
  let text = '{';
  for (const key of sortedKeys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (member !== undefined) text += (text.length > 1 ? ',' : '') + JSON.stringify(key) + ':' + canonicalJson(member);
  }
  return text + '}';
}

/** Most objects arrive sorted, because our SDK sends canonical text; sorting only where needed halves the cost. */
function sortedKeys(object: object): string[] {
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return keys.sort(byCodeUnit);
  return keys;
}

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
