import type { ErrorDetail } from '@tailgate/sync-protocol';

/** What an error says, whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : JSON.stringify(error));

/** A change that cannot be recorded as it is; `details` name each field, dotted, and what it must be. */
export class InvalidChange extends Error {
  readonly details: readonly ErrorDetail[];
  constructor(details: readonly ErrorDetail[]) {
    super(
      `this change cannot be recorded: ${details.map(({ path, message }) => `${path} ${message}`.trim()).join('; ')}`,
    );
    this.name = 'InvalidChange';
    this.details = details;
  }
}

/** Changes belong to a driver: nobody is signed in on this device. */
export class NotSignedIn extends Error {
  constructor() {
    super('sign in first: a change has an author');
    this.name = 'NotSignedIn';
  }
}

/** The server cannot be reached, or cannot answer now; the same call may work later. */
export class Unreachable extends Error {
  constructor(what: string, cause?: unknown) {
    super(`${what}: no answer of the server now`, { cause });
    this.name = 'Unreachable';
  }
}

/** The server keeps this change for the office instead of applying it; what a receipt's promises reject with. */
export class Quarantined extends Error {
  readonly code: string;
  constructor(code: string, reason: string) {
    super(`the office has this change for review: ${reason}`);
    this.name = 'Quarantined';
    this.code = code;
  }
}
