import type { z } from 'zod';
import { StartError } from './runtime/start-error.ts';

/** A setting that cannot be used. Its message is one line, names the variable and never shows a secret. */
export class ConfigError extends StartError {
  override readonly name = 'ConfigError';
}

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
