import type { ErrorDetail } from '@tailgate/sync-protocol';
import { AppError } from './errors.ts';

/** Documented bodies are eight deep. What nests deeper only tries how deep we recurse. */
const deepest = 40;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a JSON body: UTF-8, not nested without end, no NUL and no lone surrogate in any text (no database or host could
 * hold it). An empty body is no body. `__proto__` and its like are plain names here, which no schema knows.
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  if (depthOf(text) > deepest) throw malformed(`the body is nested deeper than ${deepest} levels`);
  const value = parse(text);
  // Only an escape can bring them in: raw, neither is valid in a JSON text. So hardly any body is searched.
  if (/\\u(0000|d[89a-f])/i.test(text)) {
    const details = [...unstorable(value, [])];
    if (details.length > 0) throw new AppError('VALIDATION_FAILED', { details });
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
    // V8 quotes the text in its message, and that text may hold a password.
    throw malformed('the body is no valid JSON', cause);
  }
}

function malformed(message: string, cause?: unknown): AppError {
  return new AppError('VALIDATION_FAILED', { message, details: [{ path: '', message }], cause });
}

function depthOf(text: string): number {
  let [depth, most, quoted] = [0, 0, false];
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (quoted) {
      if (char === backslash) i += 1;
      else if (char === quote) quoted = false;
    } else if (char === quote) quoted = true;
    else if (char === openBrace || char === openBracket) most = Math.max(most, ++depth);
    else if (char === closeBrace || char === closeBracket) depth -= 1;
  }
  return most;
}
const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket] = [34, 92, 123, 125, 91, 93];

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
