import type { ErrorDetail } from '@tailgate/sync-protocol';
import type * as z from 'zod/mini';
import { faultsOf, maxFaults } from '../../wire/schema-faults.ts';
import { compileReader } from '../../wire/schema-reader.ts';
import { AppError } from '../../wire/errors.ts';

/** Parses an input by its schema, or throws with every wrong path. The schema is compiled once. */
export function inputReader<Output>(schema: z.ZodMiniType<Output>): (input: unknown) => Output {
  const read = compileReader(schema);
  return (input) => {
    const parsed = read(input);
    if (parsed.success) return parsed.data;
    throw invalidInput(faultsOf(parsed.error.issues));
  };
}

/** The error for a malformed input. Its message contains the first fault, its details contain all. */
export function invalidInput(faults: readonly ErrorDetail[]): AppError {
  const details = faults.slice(0, maxFaults);
  return new AppError('VALIDATION_FAILED', { message: summary(details), details });
}

function summary([first, ...more]: readonly ErrorDetail[]): string {
  if (!first) return 'The input is malformed.';
  const others = more.length > 0 ? ` (and ${more.length} more)` : '';
  return `${first.path || 'body'}: ${first.message}${others}`;
}

/** The position after which a page begins, from the `cursor` of the page before; undefined for the first page. */
export function readCursor<Cursor>(
  text: string | undefined,
  decode: (text: string) => Cursor | undefined,
): Cursor | undefined {
  if (text === undefined) return undefined;
  const cursor = decode(text);
  if (cursor !== undefined) return cursor;
  throw invalidInput([{ path: 'cursor', message: 'must be the next_cursor of an earlier page' }]);
}
