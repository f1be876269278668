import { canonicalJson as portableJson } from './canonical-json.ts';

export type { Json } from './canonical-json.ts';

/** The text of `canonical-json.ts`, by the engine's own writer where possible: ten times as fast. */
export function canonicalJson(value: unknown): string {
  // Most values arrive sorted, because the SDK sends canonical text. For other values a sorted copy and the engine's
  // writer are still faster than the portable function.
  if (isSorted(value)) return JSON.stringify(value) ?? 'null';
  const copy = sortedCopy(value);
  return copy === NO_COPY ? portableJson(value) : JSON.stringify(copy);
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

/** A copy with sorted names. `NO_COPY` where an object would reorder them: names of digits come first. */
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

/** The limit of insertion sort, which is quadratic. Only hostile objects have more names. */
const few = 32;

/** Sorts names in place. They are few and partly sorted, and the engine's sort would allocate more than all the rest. */
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
