import type { Json } from '@tailgate/sync-protocol';

/**
 * Checks the shape of a stored value. Stored rows pass these few checks; the protocol's schemas cover the wire. A
 * schema library would weigh more than the whole queue.
 */
export type Check<Value> = (value: unknown) => value is Value;

export const text: Check<string> = (value) => typeof value === 'string';
export const number: Check<number> = (value) => typeof value === 'number';
export const flag: Check<boolean> = (value) => typeof value === 'boolean';
export const anything: Check<unknown> = (_value): _value is unknown => true;

/** Stored rows are JSON. */
export const json: Check<Json> = (value): value is Json => value !== undefined;

export const record: Check<Record<string, unknown>> = (value): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const exactly =
  <const Value extends string>(...values: readonly Value[]): Check<Value> =>
  (value): value is Value =>
    values.some((each) => each === value);

export const nullable =
  <Value>(check: Check<Value>): Check<Value | null> =>
  (value): value is Value | null =>
    value === null || check(value);

export const optional =
  <Value>(check: Check<Value>): Check<Value | undefined> =>
  (value): value is Value | undefined =>
    value === undefined || check(value);

export const listOf =
  <Value>(check: Check<Value>): Check<Value[]> =>
  (value): value is Value[] =>
    Array.isArray(value) && value.every(check);

export const either =
  <Values extends readonly unknown[]>(
    ...checks: { [Index in keyof Values]: Check<Values[Index]> }
  ): Check<Values[number]> =>
  (value): value is Values[number] =>
    checks.some((check) => check(value));

/** An object that has at least these members. */
export const fields = <Shape extends Record<string, Check<unknown>>>(
  shape: Shape,
): Check<{ [Name in keyof Shape]: Read<Shape[Name]> }> => {
  const members = Object.entries(shape);
  return (value): value is { [Name in keyof Shape]: Read<Shape[Name]> } =>
    record(value) && members.every(([name, check]) => check(value[name]));
};

/** The type that a check confirms. */
export type Read<Some> = Some extends Check<infer Value> ? Value : never;
