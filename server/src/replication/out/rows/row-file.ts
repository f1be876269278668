import type { Queryable } from '../../../db/types.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Host } from '../../../host/host.ts';
import type { HostFileName } from '../../../host/files/tables.ts';
import type { Lease } from '../lease.ts';

/** What files stand on. */
export interface RowDeps {
  readonly db: Queryable;
  readonly host: Host;
  /** Whose leases these are. */
  readonly owner: string;
  readonly clock: () => Date;
  readonly log: Log;
}

/** A row of the mirror that the host does not have as it is. */
export interface PendingRow {
  /** The values that name it, in the order of the file's `settle`. */
  readonly key: readonly string[];
  readonly version: number;
  /** Whose clock its dates are on; blank for what belongs to no facility. */
  readonly zone: string;
}

/** What came of writing a row. `unfinished`: the worker ends, or the file is somebody else's now. */
export type RowOutcome = 'hosted' | 'unfinished';

/** Why a row waits for a person, and what was to be written. */
export interface RowRefusal {
  readonly row: PendingRow;
  readonly sqlstate: string;
  readonly reason: string;
  readonly payload: string;
}

export interface RowPass {
  readonly lease: Lease;
  /** Whether the file is still ours and the worker goes on: asked between the parts of a long row. */
  readonly goesOn: () => boolean;
}

/**
 * A file of the host whose rows follow rows of the mirror one by one: written as they are now, whatever has become of
 * them since they were found behind. The lane does the rest: lease, errors by class, parking, pauses.
 */
export interface RowFile<Row extends PendingRow = PendingRow> {
  /** The files that a row needs; its lease and its parked rows go by the name of the first. */
  readonly files: readonly [HostFileName, ...HostFileName[]];
  /** Rows that are behind and do not wait for a person or another try. */
  load(limit: number): Promise<Row[]>;
  /** What would be written, for whoever has to look at a refusal. */
  describe(row: Row): string;
  /** Brings the row to the host and confirms it there (I10). @throws HostError */
  write(row: Row, pass: RowPass): Promise<RowOutcome>;
  /**
   * Notes what the host holds now. Where the lease is lost, somebody else may have written a newer state before us: then
   * these rows are behind again, and are written once more as they are.
   */
  settle(lease: Lease, hosted: readonly Row[]): Promise<void>;
}
