import type { RouteKey, StopResult } from '@tailgate/sync-protocol';
import type { HostMoment } from '../host/files/local-time.ts';
import type { HostFileName, ServicePart } from '../host/files/tables.ts';

/** The host files with a stop's service-owned columns, in the order of the writes: RTSTUP completes a stop. */
export const stopFiles = ['RTSTPP', 'RTPRUP', 'RTOSDP', 'RTIMGP', 'RTEMLP', 'RTSTUP'] as const;
export type StopFile = (typeof stopFiles)[number];
export type StopRows = { readonly [Name in StopFile]: readonly ServicePart<Name>[] };
export const noRows: StopRows = { RTSTPP: [], RTPRUP: [], RTOSDP: [], RTIMGP: [], RTEMLP: [], RTSTUP: [] };

/** A stop's service-owned rows on the host: as last confirmed (the shadow), or as read. */
export interface StopOnHost {
  readonly rows: StopRows;
  /** OSD rows that the back office has credited, as `OSTYP OSSEQ`: they must not change any more. */
  readonly credited: ReadonlySet<string>;
  /** Edits of other programs that the log on the host does not have yet. */
  readonly foreign?: readonly ForeignChange[];
}

/** A value that another program has changed on the host. */
export interface ForeignChange {
  readonly file: HostFileName;
  /** The row's key on the host. */
  readonly key: readonly string[];
  readonly column: string;
  readonly before: string;
  readonly after: string;
  readonly user: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A row in the form that the library can hold: shorter texts, blanks in columns that it lacks. */
export type RowFit = <Row extends { readonly [column: string]: string }>(file: HostFileName, row: Row) => Row;

/** For a library with every column at full length. */
export const unchangedRow: RowFit = (_file, row) => row;

/** A stop of the mirror, as `hostRows` renders it. */
export interface RecordedStop {
  readonly key: RouteKey;
  readonly stop: number;
  readonly result: StopResult;
  /** Server epoch and route version of the stop's last change. */
  readonly sequence: `${number}`;
  /** The facility's clock. */
  readonly moment: (instant: Date) => HostMoment;
  readonly fit?: RowFit | undefined;
}
