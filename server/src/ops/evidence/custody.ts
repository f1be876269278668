import { changesOf as recordedChangesOf, recordedField } from '@tailgate/sync-protocol';

/** A field that a change sets. */
export interface FieldChange {
  /** The stop's own, such as `driver_comments`, or one of a line, such as `110020 INV1 delivered`. */
  readonly field: string;
  /** The value that an earlier change has set; null where none has. */
  readonly before: string | null;
  readonly after: string;
}

/** The values that each change sets, and those that it replaces. @param bodies the changes, the oldest first */
export const changesOf = (bodies: readonly string[]): FieldChange[][] =>
  recordedChangesOf(bodies).map((changes) =>
    changes.map(({ before, after, ...where }) => ({ field: recordedField(where), before, after })),
  );
