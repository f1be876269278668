import { record } from './reading.ts';

/** A value that changes: what it is now, and a call for each change. Fits React's `useSyncExternalStore` as it is. */
export interface Watch<Value> {
  readonly current: Value;
  /** Returns the way to stop. */
  subscribe(listener: (value: Value) => void): () => void;
}

/** Calls each listener; one that throws harms neither the others nor us, its error surfaces as an uncaught one. */
export function callAll<Value>(listeners: Iterable<(value: Value) => void>, value: Value): void {
  for (const listener of [...listeners]) {
    try {
      listener(value);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}

export class Signal<Value> implements Watch<Value> {
  /** Another one by `set` alone. */
  current: Value;
  readonly #listeners = new Set<(value: Value) => void>();

  constructor(value: Value) {
    this.current = value;
  }

  /** The same object again is no change. */
  set(value: Value): void {
    if (value === this.current) return;
    this.current = value;
    callAll(this.#listeners, value);
  }

  /** As `set`, but what equals the same part of the value before keeps its identity; all equal is no change. */
  renew(value: Value): void {
    this.set(keepEqualParts(this.current, value));
  }

  subscribe(listener: (value: Value) => void): () => void {
    // A fresh function each time: the same listener may subscribe twice.
    const own = (value: Value): void => listener(value);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}

/** A value that is read from others; `listen` is told what to call when one of them may be another, and gives the way to stop. */
const computed = <Value>(read: () => Value, listen: (look: () => void) => () => void): Watch<Value> => ({
  get current() {
    return read();
  },
  subscribe(listener) {
    let told = read();
    return listen(() => {
      const value = read();
      if (value === told) return;
      told = value;
      listener(value);
    });
  },
});

/** A part of a watched value; fires only where the part is another one, and keeps its identity while it is equal. */
export function select<Whole, Part>(whole: Watch<Whole>, pick: (value: Whole) => Part): Watch<Part> {
  let known: Part | undefined;
  const read = (): Part => {
    const part: Part = keepEqualParts(known, pick(whole.current));
    known = part;
    return part;
  };
  return computed(read, (look) => whole.subscribe(look));
}

/** The value of the watch that another watch's value points at; fires where either leads to another value. */
export const follow = <Key, Value>(key: Watch<Key>, pick: (key: Key) => Watch<Value>): Watch<Value> =>
  computed(
    () => pick(key.current).current,
    (look) => {
      let stopInner = pick(key.current).subscribe(look);
      const stopOuter = key.subscribe((next) => {
        stopInner();
        stopInner = pick(next).subscribe(look);
        look();
      });
      return () => {
        stopInner();
        stopOuter();
      };
    },
  );

/**
 * `next`, but with every part that equals the same part of `before` taken from there: what did not change keeps its
 * identity, however often it is computed anew. Both are JSON.
 */
export function keepEqualParts<Value>(before: unknown, next: Value): Value;
export function keepEqualParts(before: unknown, next: unknown): unknown {
  if (before === next) return before;
  if (isList(next) && isList(before)) {
    const parts = next.map((part, i) => keepEqualParts(before[i], part));
    return isSameList(parts, before) ? before : isSameList(parts, next) ? next : parts;
  }
  if (!record(next) || !record(before)) return next;
  // What shares nothing yet stays the object that it is: its maker may hold it as well.
  let kept = next;
  let isEqual = true;
  for (const key in next) {
    const part = keepEqualParts(before[key], next[key]);
    isEqual &&= key in before && part === before[key];
    if (part === next[key]) continue;
    if (kept === next) kept = { ...next };
    kept[key] = part;
  }
  for (const key in before) isEqual &&= key in next;
  return isEqual ? before : kept;
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((part, i) => part === b[i]);

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
