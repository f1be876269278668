import type { ErrorDetail } from '@tailgate/sync-protocol';
import { AppError } from '../../wire/errors.ts';
import { invalidInput } from '../answers/validation.ts';

/** Documented bodies have eight levels. Deeper ones only test the recursion. */
const deepest = 40;
/**
 * The longest route, every line with exceptions, has a third of it. A body of empty objects costs more than its bytes.
 */
const maxValues = 300_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body: UTF-8, of bounded depth, without a repeated name in an object (parsers disagree on it, RFC 8259
 * §4), without NUL and lone surrogates (no database or host can store them). An empty body is undefined. `__proto__`
 * and the like are plain names here, and no schema has them.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  const { depth, members, values } = measure(text);
  if (values > maxValues) throw new AppError('TOO_LARGE', { message: `the body has more than ${maxValues} values` });
  if (depth > deepest) throw malformed(`the body is nested deeper than ${deepest} levels`);
  const value = parse(text);
  if (countMembers(value) < members)
    throw invalidInput(repeatedNames(text).map((path) => ({ path, message: 'must not come twice' })));
  // JSON permits these only as escapes, so hardly any body is searched.
  if (/\\u(0000|d[89a-f])/i.test(text)) {
    const faults = [...unstorable(value, [])];
    if (faults.length > 0) throw invalidInput(faults);
  }
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw malformed('the body is no valid UTF-8', cause);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // V8 quotes the text in its message, and that text may contain a password.
    throw malformed('the body is no valid JSON', cause);
  }
}

function malformed(message: string, cause?: unknown): AppError {
  return new AppError('VALIDATION_FAILED', { message, details: [{ path: '', message }], cause });
}

/** The depth of a JSON text, and the number of its values and members (approximately: each comma is one more). */
function measure(text: string): { readonly depth: number; readonly members: number; readonly values: number } {
  let [level, depth, members, values, quoted] = [0, 0, 0, 1, false];
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (quoted) {
      if (char === backslash) i += 1;
      else if (char === quote) quoted = false;
    } else if (char === quote) quoted = true;
    else if (char === colon) members += 1;
    else if (char === comma) values += 1;
    else if (char === openBrace || char === openBracket) depth = Math.max(depth, ++level);
    else if (char === closeBrace || char === closeBracket) level -= 1;
  }
  return { depth, members, values };
}
const [quote, comma, colon, openBracket, backslash, closeBracket, openBrace, closeBrace] = [
  34, 44, 58, 91, 92, 93, 123, 125,
];

/** A repeated name is one member of the parsed value: the last one replaced the first. */
function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.reduce<number>((count, part) => count + countMembers(part), 0);
  let count = 0;
  for (const name in value) count += 1 + countMembers(Reflect.get(value, name));
  return count;
}

function* unstorable(value: unknown, path: readonly (string | number)[]): Generator<ErrorDetail> {
  if (typeof value === 'string') {
    if (!isStorable(value)) yield { path: path.join('.'), message: 'must be well-formed text without NUL' };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* unstorable(item, [...path, index]);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      if (!isStorable(name)) yield { path: path.join('.'), message: 'has a name that is no well-formed text' };
      else yield* unstorable(item, [...path, name]);
    }
  }
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The tokens of a JSON text but for numbers and words. Strings come first, so that a brace in a string is not a token. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

interface Open {
  /** Undefined in an array. */
  readonly names: Set<string> | undefined;
  at: string | number;
}

/** Dotted paths of the names that come twice in an object of this JSON text. Slow, so only refused texts are searched. */
function repeatedNames(json: string): string[] {
  const open: Open[] = [];
  const repeated: string[] = [];
  let text = '';
  for (const [token] of json.matchAll(tokens)) {
    const here = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '' });
    else if (token === '[') open.push({ names: undefined, at: 0 });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') {
      if (here && typeof here.at === 'number') here.at += 1;
    } else if (token !== ':') text = token;
    else if (here?.names) {
      here.at = String(JSON.parse(text));
      if (here.names.has(here.at)) repeated.push(open.map(({ at }) => at).join('.'));
      here.names.add(here.at);
    }
  }
  return repeated;
}
