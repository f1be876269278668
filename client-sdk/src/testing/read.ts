/** A schema of the protocol: the common part of its readers in browsers and in Node. */
interface Schema<Value> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: Value } | { readonly success: false; readonly error: unknown };
}

/** Parses a client's message by its schema. Throws where it does not fit: the client is at fault. */
export function read<Value>(schema: Schema<Value>, value: unknown): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`the scripted server cannot read ${JSON.stringify(value)}`, { cause: parsed.error });
}
