// Values of JSON from outside, read without trust in their shape.

export type Fields = Readonly<Record<string, unknown>>;

/** The members of an object; none of any other value. */
export const objectOf = (value: unknown): Fields =>
  value instanceof Object && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value of a JSON text; undefined for any other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
