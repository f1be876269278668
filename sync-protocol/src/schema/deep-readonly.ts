import type * as z from '#schema';

/** A value of which no member can be assigned, at any depth. A member that takes any JSON stays as it is. */
export type DeepReadonly<Value> = [AnyJson] extends [Value]
  ? Value
  : Value extends object
    ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
    : Value;

/** Its type refers to itself: a mapped type of it has no end. */
type AnyJson = z.infer<ReturnType<typeof z.json>>;
