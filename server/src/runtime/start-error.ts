/**
 * An error that a person at the command line must correct. The message is one line that names the thing, the value and
 * the remedy; the program prints that line and no stack.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
