import { canonicalJson as writtenHere } from './canonical-json.ts';

export type { Json } from './canonical-json.ts';

/** The text of `canonical-json.ts`, wherever it can be had from the engine's own writer: ten times as fast. */
export function canonicalJson(value: unknown): string {
  // Most values arrive sorted, because our SDK sends canonical text. The engine's own writer is so fast that the others
  // are copied for it.
  if (isSorted(value)) return JSON.stringify(value) ?? 'null';
  const copy = sortedCopy(value);
  return copy === NO_COPY ? writtenHere(value) : JSON.stringify(copy);
}

function isSorted(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isSorted);
  let previous = '';
  for (const key in value) {
    if (key < previous || !isSorted(Reflect.get(value, key))) return false;
    previous = key;
  }
  return true;
}

const NO_COPY: unique symbol = Symbol('no copy');

/** The same with its names in order; none where an object has an order of its own for one: digits come first. */
function sortedCopy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const copy = value.map(sortedCopy);
    return copy.includes(NO_COPY) ? NO_COPY : copy;
  }
  const copy: Record<string, unknown> = {};
  for (const key of inOrder(Object.keys(value))) {
    const member = sortedCopy(Reflect.get(value, key));
    if (member === NO_COPY || startsWithDigit(key) || key === '__proto__') return NO_COPY;
    copy[key] = member;
  }
  return copy;
}

/** What is sorted by insertion: of more names, which only a hostile object has, that would cost their square. */
const few = 32;

/** Sorted where they stand. They are few and partly in order: the engine's own sort takes more memory than all the rest. */
function inOrder(names: string[]): string[] {
  if (names.length > few) return names.sort();
  for (let end = 1; end < names.length; end++) {
    const name = names[end] ?? '';
    let at = end;
    for (; at > 0 && (names[at - 1] ?? '') > name; at--) names[at] = names[at - 1] ?? '';
    names[at] = name;
  }
  return names;
}

const startsWithDigit = (name: string): boolean => name >= '0' && name < ':';
