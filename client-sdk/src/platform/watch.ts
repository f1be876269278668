import { record } from './reading.ts';

/**
 * A value that changes: the current value, and a call for each change. Fits React's `useSyncExternalStore` directly.
 */
export interface Watch<Value> {
  readonly current: Value;
  /** Returns a function that ends the subscription. */
  subscribe(listener: (value: Value) => void): () => void;
}

/** Calls each listener. A listener that throws affects no other one; its error surfaces as an uncaught error. */
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
  /** Only `set` replaces it. */
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

  /** Like `set`, but parts equal to the previous value retain their identity; a fully equal value is no change. */
  renew(value: Value): void {
    this.set(keepEqualParts(this.current, value));
  }

  subscribe(listener: (value: Value) => void): () => void {
    // A new function each time: the same listener may subscribe twice.
    const own = (value: Value): void => listener(value);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }
}

/**
 * A value that is computed from others. `listen` receives the function to call on each possible change, and returns a
 * function that stops.
 */
const computed = <Value>(read: () => Value, listen: (check: () => void) => () => void): Watch<Value> => ({
  get current() {
    return read();
  },
  subscribe(listener) {
    let last = read();
    return listen(() => {
      const value = read();
      if (value === last) return;
      last = value;
      listener(value);
    });
  },
});

/** A part of a watched value. Fires only on a different part; an equal part retains its identity. */
export function select<Whole, Part>(whole: Watch<Whole>, pick: (value: Whole) => Part): Watch<Part> {
  let known: Part | undefined;
  const read = (): Part => {
    const part: Part = keepEqualParts(known, pick(whole.current));
    known = part;
    return part;
  };
  return computed(read, (check) => whole.subscribe(check));
}

/** The value of the watch that another watch's value selects. Fires where either one leads to another value. */
export const follow = <Key, Value>(key: Watch<Key>, pick: (key: Key) => Watch<Value>): Watch<Value> =>
  computed(
    () => pick(key.current).current,
    (check) => {
      let stopInner = pick(key.current).subscribe(check);
      const stopOuter = key.subscribe((next) => {
        stopInner();
        stopInner = pick(next).subscribe(check);
        check();
      });
      return () => {
        stopInner();
        stopOuter();
      };
    },
  );

/**
 * `next`, with each part that equals the same part of `before` taken from there. Unchanged parts retain their identity
 * however often the value is computed. Both are JSON.
 */
export function keepEqualParts<Value>(before: unknown, next: Value): Value;
export function keepEqualParts(before: unknown, next: unknown): unknown {
  if (before === next) return before;
  if (isList(next) && isList(before)) {
    const parts = next.map((part, i) => keepEqualParts(before[i], part));
    return isSameList(parts, before) ? before : isSameList(parts, next) ? next : parts;
  }
  if (!record(next) || !record(before)) return next;
  // An object without shared parts remains the same object: its creator may refer to it as well.
  let merged = next;
  let isEqual = true;
  for (const key in next) {
    const part = keepEqualParts(before[key], next[key]);
    isEqual &&= key in before && part === before[key];
    if (part === next[key]) continue;
    if (merged === next) merged = { ...next };
    merged[key] = part;
  }
  for (const key in before) isEqual &&= key in next;
  return isEqual ? before : merged;
}

const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((part, i) => part === b[i]);

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
