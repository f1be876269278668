import type { ErrorDetail } from '@tailgate/sync-protocol';

/** What an error says, whatever was thrown. Some platforms' errors have a name and no message. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : JSON.stringify(error);

/** A change that cannot be recorded as it is; `details` name each field, dotted, and what it must be. */
export class InvalidChange extends Error {
  override readonly name = 'InvalidChange';
  readonly details: readonly ErrorDetail[];
  constructor(details: readonly ErrorDetail[]) {
    super(`cannot record: ${details.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')}`);
    this.details = details;
  }
}

export const refusal = (path: string, message: string): InvalidChange => new InvalidChange([{ path, message }]);

/** Changes belong to a driver: nobody is signed in on this device. */
export class NotSignedIn extends Error {
  override readonly name = 'NotSignedIn';
  constructor() {
    super('sign in first');
  }
}

/** The server cannot be reached, or cannot answer now; the same call may work later. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  constructor(what: string, cause?: unknown) {
    super(`no answer: ${what}`, { cause });
  }
}

/** The server keeps this change for the office instead of applying it; what a receipt's promises reject with. */
export class Quarantined extends Error {
  override readonly name = 'Quarantined';
  readonly code: string;
  constructor(code: string, reason: string) {
    super(`kept for review: ${reason}`);
    this.code = code;
  }
}

/** The change was taken back before it was sent; what a receipt's promises reject with. */
export class Withdrawn extends Error {
  override readonly name = 'Withdrawn';
  constructor() {
    super('this change was withdrawn');
  }
}
