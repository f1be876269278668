import type { z } from 'zod';

/** A variable of the environment. */
export interface Variable<T> {
  /** In the form of the environment; `null`: unset has a meaning of its own, which `description` explains. */
  default: string | null;
  description: string;
  /** The value may contain a password: no message repeats it. */
  secret: boolean;
  /** @throws z.ZodError whose only message names the expected value */
  parse(raw: string | undefined): T;
}

export function withDefault<T>(fallback: string, description: string, schema: z.ZodType<T, string>): Variable<T> {
  return { default: fallback, description, secret: false, parse: (raw) => schema.parse(raw ?? fallback) };
}

export function optional<T>(
  description: string,
  schema: z.ZodType<T, string>,
  secret?: 'secret',
): Variable<T | undefined> {
  const parse = (raw: string | undefined) => (raw === undefined ? undefined : schema.parse(raw));
  return { default: null, description, secret: secret === 'secret', parse };
}
