import type { HostFileName } from '../files/tables.ts';

/** A change by another program than the service: one row, or the rows of a stop in one file. */
export type HostChange = {
  /** Names this change until it is acknowledged; without blanks. */
  sequence: string;
  file: HostFileName;
  operation: 'insert' | 'update' | 'delete';
  /** Key columns by name, those of the route and the stop at least. */
  key: { [column: string]: string };
  /** Blank where unknown. */
  user: string;
  /** Milliseconds since the last change. */
  age: number;
  /** Milliseconds since the first change, where the row was changed again. */
  waiting?: number;
  /** Only service-owned columns differ: no incomplete plan needs a wait. */
  isSettled?: boolean;
};

/**
 * The import's source of changes on the host: the doorbell of triggers, or polling where triggers are not allowed
 * (HOST_CHANGES).
 */
export interface HostChanges {
  /** A poll compares everything that is open: its result leaves no room for drift. */
  readonly comparesAll: boolean;
  /** Unacknowledged changes, oldest first; `unparsable` are lines without a meaning. @throws HostError */
  poll(): Promise<{ changes: HostChange[]; unparsable: string[] }>;
  /** The same without a complete poll, as far as available. @throws HostError */
  pollAgain(): Promise<HostChange[]>;
  /** Acknowledges exactly these changes: others may have come since. @throws HostError */
  acknowledge(sequences: readonly string[]): Promise<void>;
}
