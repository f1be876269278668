import type { FileSource } from '../../../assets/file-bytes.ts';
import type { Queryable } from '../../../db/types.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Host } from '../../../host/host.ts';
import type { HostFileName } from '../../../host/files/tables.ts';
import type { Lease } from '../lease.ts';

/** Dependencies of the row files. */
export interface RowDeps {
  readonly db: Queryable;
  /** For files that are objects. */
  readonly store?: FileSource['store'];
  readonly host: Host;
  /** The owner of the leases. */
  readonly owner: string;
  readonly clock: () => Date;
  readonly log: Log;
}

/** A row of the mirror that is behind on the host. */
export interface PendingRow {
  /** The values of its key, in the order of the file's `confirm`. */
  readonly key: readonly string[];
  readonly version: number;
  /** The facility's zone for its dates; blank for rows of no facility. */
  readonly zone: string;
}

/** The result of writing a row. `unfinished`: the worker ends, or another worker has the file now. */
export type RowOutcome = 'hosted' | 'unfinished';

/** Why a row is parked, and the rejected values. */
export interface RowRefusal {
  readonly row: PendingRow;
  readonly sqlstate: string;
  readonly reason: string;
  readonly payload: string;
}

export interface RowPass {
  readonly lease: Lease;
  /** Whether the worker still has the file and continues: checked between the parts of a long row. */
  readonly mayContinue: () => boolean;
}

/**
 * A file of the host whose rows follow rows of the mirror one by one. Each write takes the row's present state. The
 * lane adds the lease, errors by class, parking and pauses.
 */
export interface RowFile<Row extends PendingRow = PendingRow> {
  /** The files that a row needs; its lease and its parked rows use the name of the first. */
  readonly files: readonly [HostFileName, ...HostFileName[]];
  /** Rows that are behind and due. */
  load(limit: number): Promise<Row[]>;
  /** The values to write, for a person who reviews a refusal. */
  describe(row: Row): string;
  /** Brings the row to the host and confirms it there (I10). @throws HostError */
  write(row: Row, pass: RowPass): Promise<RowOutcome>;
  /**
   * Records the confirmed rows. If the lease is lost, another worker may have written a newer state before: then these
   * rows are behind again, and are written once more from their present state.
   */
  confirm(lease: Lease, hosted: readonly Row[]): Promise<void>;
}
