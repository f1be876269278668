/**
 * An error that a person at the command line must correct. The message is one line that names the thing, the value and
 * the remedy; the program prints that line and no stack.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

/** Why an attempt failed. For a host name with several addresses the error has one error for each, and no message. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join(', ');
  return cause instanceof Error ? cause.message : String(cause);
}
