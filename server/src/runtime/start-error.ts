/**
 * Something a person at the command line has to put right. The message is one line that names the thing, the value and
 * the way out; whoever catches it at the top prints that line and no stack.
 */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}
