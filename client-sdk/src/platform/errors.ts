import type { ErrorDetail } from '@tailgate/sync-protocol';

/** The message of any thrown value. Errors of some platforms have a name and no message. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : JSON.stringify(error);

/**
 * A change that cannot be recorded in this form; `details` contains the dotted path and the requirement of each field.
 */
export class InvalidChange extends Error {
  override readonly name = 'InvalidChange';
  readonly details: readonly ErrorDetail[];
  constructor(details: readonly ErrorDetail[]) {
    super(`cannot record: ${details.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')}`);
    this.details = details;
  }
}

export const refusal = (path: string, message: string): InvalidChange => new InvalidChange([{ path, message }]);

/** A change needs a driver, and no driver is signed in on this device. */
export class NotSignedIn extends Error {
  override readonly name = 'NotSignedIn';
  constructor() {
    super('sign in first');
  }
}

/** The client was closed: another one may have its store by now. */
export class Closed extends Error {
  override readonly name = 'Closed';
  constructor() {
    super('this client was closed');
  }
}

/** The server cannot be reached, or cannot answer now; the same call may work later. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  constructor(what: string, cause?: unknown) {
    super(`no answer: ${what}`, { cause });
  }
}

/**
 * The server retains this change for the office instead of applying it. A receipt's promises reject with this error.
 */
export class Quarantined extends Error {
  override readonly name = 'Quarantined';
  readonly code: string;
  constructor(code: string, reason: string) {
    super(`kept for review: ${reason}`);
    this.code = code;
  }
}

/** The driver withdrew the change before it was sent. A receipt's promises reject with this error. */
export class Withdrawn extends Error {
  override readonly name = 'Withdrawn';
  constructor() {
    super('this change was withdrawn');
  }
}
