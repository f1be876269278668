import {
  changesOf as recordedChangesOf,
  isOffice,
  officeSource,
  recordedField,
  type Recorded,
  type Stamp,
  type StopResult,
} from '@tailgate/sync-protocol';
import { placeName } from '../history/chain.ts';
import type { LedgerEntry } from '../history/contract.ts';

/** A field that a change sets. */
export interface FieldChange {
  /** The stop's own, such as `driver_comments`, or one of a line, such as `110020 INV1 delivered`. */
  readonly field: string;
  /** The value that an earlier change has set; null where none has. */
  readonly before: string | null;
  readonly after: string;
}

/** The values that each change sets, and those that it replaces. @param recorded the changes, the oldest first */
export const changesOf = (recorded: readonly Recorded[]): FieldChange[][] =>
  recordedChangesOf(recorded).map((changes) =>
    changes.map(({ before, after, ...where }) => ({ field: recordedField(where), before, after })),
  );

/** Its queue and its number there. Without a queue, its source and the version of the route. */
export type GoneChange = Pick<Stamp, 'client' | 'seq'>;

/**
 * The changes behind the present values that are on record no more: retention deletes them, and leaves the values. Values
 * that came with the route from the host have no change.
 */
export function changesGone({ by = [] }: StopResult, facts: readonly LedgerEntry[]): GoneChange[] {
  const isOf =
    ({ client, seq }: Stamp) =>
    (fact: LedgerEntry): boolean =>
      // Without a queue the number is the version of the route.
      client === fact.client_id ? seq === fact.seq : client === fact.source && seq === fact.version;
  const gone = by.filter((stamp) => (stamp.client !== officeSource || isOffice(stamp)) && !facts.some(isOf(stamp)));
  return [...new Map(gone.map(({ client, seq }) => [placeName(client, seq), { client, seq }])).values()];
}
