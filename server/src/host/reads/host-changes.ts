import type { HostFileName } from '../files/tables.ts';

/** What another program than the service has touched: one row, or what a stop has in one file. */
export type HostChange = {
  /** Names this change until it is silenced; without blanks. */
  sequence: string;
  file: HostFileName;
  operation: 'insert' | 'update' | 'delete';
  /** Key columns by name, those of the route and the stop at least. */
  key: { [column: string]: string };
  /** Blank where nobody knows. */
  user: string;
  /** Milliseconds since. */
  age: number;
  /** Milliseconds since it was first touched, where it has been touched again since. */
  waiting?: number;
  /** Only columns of the service are others: no half-loaded plan has to be waited for. */
  isSettled?: boolean;
};

/**
 * How the import learns what others do on the host: by the doorbell that triggers ring, or by looking at everything where
 * none are allowed (HOST_CHANGES).
 */
export interface HostChanges {
  /** A look compares everything that is open: what it does not tell is no drift but a miracle. */
  readonly comparesAll: boolean;
  /** What has changed and was not silenced yet, oldest first; `strange` are lines of no meaning. @throws HostError */
  poll(): Promise<{ changes: HostChange[]; strange: string[] }>;
  /** The same as far as it is to be had without a look at everything. @throws HostError */
  pollAgain(): Promise<HostChange[]>;
  /** Exactly these have been taken in: others may have been added since. @throws HostError */
  acknowledge(sequences: readonly string[]): Promise<void>;
}
