export type Members = Readonly<Record<string, unknown>>;

/** Stored JSON as an object. */
export function members(value: unknown, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${what} is no object`);
  return { ...value };
}
