import type { ErrorDetail } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { en } from 'zod/locales';
import { compileReader } from '../schema-reader.ts';
import { AppError } from './errors.ts';

// zod/mini brings no words of its own, so that phones need not load them.
z.config(en());

/** More faults than a person can mend at a time; a body can hold a hundred thousand. */
const mostDetails = 50;

/** Takes inputs apart by their schema, or names every path that does not fit. Made once: the schema is compiled. */
export function inputReader<Output>(schema: z.ZodMiniType<Output>): (input: unknown) => Output {
  const read = compileReader(schema);
  return (input) => {
    const parsed = read(input);
    if (parsed.success) return parsed.data;
    throw invalidInput(parsed.error.issues.slice(0, mostDetails).map(toDetail));
  };
}

/** The answer to a malformed input, which names the first fault in its message and the others beside it. */
export function invalidInput(faults: readonly ErrorDetail[]): AppError {
  const details = faults.slice(0, mostDetails);
  return new AppError('VALIDATION_FAILED', { message: summary(details), details });
}

const toDetail = ({ path, message }: z.core.$ZodIssue): ErrorDetail => ({ path: path.map(String).join('.'), message });

function summary([first, ...more]: readonly ErrorDetail[]): string {
  if (!first) return 'The input is malformed.';
  const others = more.length > 0 ? ` (and ${more.length} more)` : '';
  return `${first.path || 'body'}: ${first.message}${others}`;
}
