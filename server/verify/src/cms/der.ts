import { concat } from '../log/bytes.ts';

// DER (X.690): elements as they are written, and a reader that accepts no other spelling of a length.

/** @param tag one byte */
export function element(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = concat(...parts);
  return concat(Uint8Array.of(tag, ...lengthOf(content.length)), content);
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 + bytes.length, ...bytes];
}

export const tags = {
  boolean: 1,
  integer: 2,
  bits: 3,
  octets: 4,
  null: 5,
  oid: 6,
  utf8: 12,
  utcTime: 23,
  sequence: 0x30,
  set: 0x31,
} as const;
/** `[n]`, constructed. */
export const inContext = (n: number): number => 0xa0 + n;

export const sequence = (...parts: readonly Uint8Array[]): Uint8Array => element(tags.sequence, ...parts);
/** A set has its members in the order of their bytes. */
export const set = (...parts: readonly Uint8Array[]): Uint8Array => element(tags.set, ...inOrder(parts));
export const octets = (bytes: Uint8Array): Uint8Array => element(tags.octets, bytes);
export const small = (value: number): Uint8Array => element(tags.integer, Uint8Array.of(value));
export const nothing = element(tags.null);
/** @param text such as `YYMMDDHHMMSSZ` */
export const ascii = (tag: number, text: string): Uint8Array =>
  element(
    tag,
    Uint8Array.from(text, (character) => character.charCodeAt(0)),
  );

/** @param text such as `2.5.4.3` */
export function oid(text: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return element(tags.oid, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(128 + (rest % 128));
  return bytes;
}

/** In the order of DER: by their bytes. */
export const inOrder = (parts: readonly Uint8Array[]): Uint8Array[] => [...parts].sort(compare);

function compare(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at < 0 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

export interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With tag and length. */
  readonly whole: Uint8Array;
}

/** The element at the beginning of some bytes; undefined where there is none. Bytes behind it are left. */
export function readElement(bytes: Uint8Array): Element | undefined {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined || tag % 32 === 31) return undefined;
  const long = first > 0x80 ? first - 0x80 : 0;
  if (first === 0x80 || long > 4 || bytes.length < 2 + long) return undefined;
  const length = long === 0 ? first : bytes.subarray(2, 2 + long).reduce((value, byte) => value * 256 + byte, 0);
  const end = 2 + long + length;
  if (end > bytes.length || lengthOf(length).length !== 1 + long) return undefined;
  return { tag, content: bytes.subarray(2 + long, end), whole: bytes.subarray(0, end) };
}

/** The elements of a content; none where a byte belongs to no element. */
export function elementsIn(content: Uint8Array | undefined): readonly Element[] {
  const elements: Element[] = [];
  for (let rest = content; rest !== undefined && rest.length > 0;) {
    const next = readElement(rest);
    if (!next) return [];
    elements.push(next);
    rest = rest.subarray(next.whole.length);
  }
  return elements;
}
