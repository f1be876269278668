import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { follow, keepEqualParts, select, Signal } from '../../client-sdk/src/platform/watch.ts';

describe('identity of unchanged values', () => {
  test('the result equals the new value for any earlier value', () => {
    expect(() =>
      fc.assert(
        fc.property(fc.jsonValue(), fc.jsonValue(), (before, next) => {
          expect(keepEqualParts(before, next)).toEqual(next);
        }),
      ),
    ).not.toThrow();
  });

  test('an equal value is the old object; in a different one, every equal part is the old part', () => {
    const before = { a: { x: [1, 2] }, b: { y: 1 }, list: [{ id: 1 }, { id: 2 }] };
    expect(keepEqualParts(before, structuredClone(before))).toBe(before);
    const next = keepEqualParts(before, { ...structuredClone(before), b: { y: 2 } });
    expect(next).not.toBe(before);
    expect(next.a).toBe(before.a);
    expect(next.list).toBe(before.list);
    const longer = keepEqualParts(before, { ...structuredClone(before), list: [{ id: 1 }, { id: 3 }, { id: 2 }] });
    expect(longer.list[0]).toBe(before.list[0]);
  });

  test('a value without shared parts stays the same object: two watches of it compare by identity', () => {
    const before = { stops: [{ id: 1 }, { id: 2 }] };
    const changed = { id: 2, pending: 1 };
    expect(keepEqualParts<object>(before, { stops: [before.stops[0], changed] })).toEqual({
      stops: [{ id: 1 }, changed],
    });
    const result: { stops: object[] } = keepEqualParts(before, { stops: [{ id: 1 }, changed] });
    expect(result.stops[0]).toBe(before.stops[0]);
    expect(result.stops[1]).toBe(changed);
  });
});

describe('watches', () => {
  test('a part fires only when it changes', () => {
    const whole = new Signal({ a: { x: 1 }, b: 1 });
    const part = select(whole, (value) => value.a);
    const seen: unknown[] = [];
    const stop = part.subscribe((value) => seen.push(value));
    const first = part.current;
    whole.set({ a: { x: 1 }, b: 2 });
    expect(part.current).toBe(first);
    whole.set({ a: { x: 2 }, b: 2 });
    stop();
    whole.set({ a: { x: 3 }, b: 2 });
    expect(seen).toEqual([{ x: 2 }]);
  });

  test('a watch with a new target follows it and releases the old one', () => {
    const [one, two] = [new Signal('1a'), new Signal('2a')];
    const key = new Signal(1);
    const seen: string[] = [];
    const stop = follow(key, (which) => (which === 1 ? one : two)).subscribe((value) => seen.push(value));
    one.set('1b');
    two.set('2b');
    key.set(2);
    one.set('1c');
    two.set('2c');
    stop();
    two.set('2d');
    key.set(1);
    expect(seen).toEqual(['1b', '2b', '2c']);
  });

  test('a listener may stop, start and stop again during its call; two subscriptions are two calls', () => {
    const signal = new Signal(0);
    const seen: string[] = [];
    const listener = (value: number): void => void seen.push(`a${value}`);
    const first = signal.subscribe(listener);
    signal.subscribe(listener);
    const once = signal.subscribe((value) => {
      seen.push(`b${value}`);
      once();
    });
    signal.set(1);
    first();
    signal.set(2);
    expect(seen).toEqual(['a1', 'a1', 'b1', 'a2']);
  });
});
