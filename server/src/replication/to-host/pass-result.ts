import { routeScope } from '@tailgate/sync-protocol';
import { expectFiles } from '../../assets/queries.ts';
import type { Queryable } from '../../db/types.ts';
import type { Lease, Leases } from './lease.ts';
import type { LogEntry } from './replication-log.ts';
import { claimFiles } from './rows/sql.ts';
import {
  confirmedRows,
  parkedRows,
  reviewItems,
  notifyHosted,
  savePass,
  type ConfirmedRows,
  type ParkedRow,
  type ReviewItem,
} from './route-sql.ts';

export interface SaveDeps {
  readonly db: Queryable;
  readonly leases: Leases;
  readonly clock: () => Date;
}

/** Collects the results of a pass over a route until they are saved in PostgreSQL. */
export class PassResult {
  /** When the pass began, of `performance.now()`. */
  readonly #begunAt = performance.now();
  #confirmed: ConfirmedRows[] = [];
  #unparked: number[] = [];
  #parked: ParkedRow[] = [];
  #reviews: ReviewItem[] = [];
  #namedAssets: string[] = [];
  #logEntries: LogEntry[] = [];

  get unsaved(): number {
    return this.#confirmed.length;
  }

  addConfirmed(rows: ConfirmedRows): void {
    this.#confirmed.push(rows);
  }

  /** This stop is no longer parked. */
  addUnparked(stop: number): void {
    this.#unparked.push(stop);
  }

  addParked(row: ParkedRow): void {
    this.#parked.push(row);
  }

  addReview(item: ReviewItem): void {
    this.#reviews.push(item);
  }

  /** For the host's own log. */
  addLogEntry(...entries: readonly LogEntry[]): void {
    this.#logEntries.push(...entries);
  }

  /** Returns the entries since the last call. */
  drainLogEntries(): LogEntry[] {
    return this.#logEntries.splice(0);
  }

  /** A file that a stop names, perhaps long before its bytes come. */
  addNamedAsset(asset: string): void {
    this.#namedAssets.push(asset);
  }

  /**
   * Registers the named files, so that the host receives their state, and the office sees in time which are missing.
   * @param wasShadow files may belong to a shadow until now
   */
  async expectNamedAssets(db: Queryable, now: Date, wasShadow: boolean): Promise<void> {
    await expectFiles(db, this.#namedAssets, now);
    if (wasShadow && this.#namedAssets.length > 0) await db.query(claimFiles, [this.#namedAssets]);
    this.#namedAssets = [];
  }

  /**
   * Saves everything in one statement that the lease's fence guards, with `hostedThrough` where a pass is complete; then it
   * also releases the lease. False where another worker has the route now: nothing was saved.
   */
  async save({ db, leases, clock }: SaveDeps, lease: Lease, hostedThrough?: number): Promise<boolean> {
    const [confirmed, unparked, parked, reviews] = [this.#confirmed, this.#unparked, this.#parked, this.#reviews];
    const { facility, id, week_end } = lease.key;
    const { rowCount } = await db.query(savePass, [
      facility,
      id,
      week_end,
      leases.owner,
      lease.fence,
      hostedThrough === undefined ? leases.leaseMs : 0,
      hostedThrough ?? 0,
      performance.now() - this.#begunAt,
      unparked,
      ...confirmedRows.parameters(confirmed),
      ...parkedRows.parameters(parked),
      ...reviewItems.parameters(reviews),
      clock(),
    ]);
    if (rowCount === 1) await db.query(notifyHosted, [routeScope(lease.key)]);
    this.#confirmed = [];
    this.#unparked = [];
    this.#parked = [];
    this.#reviews = [];
    if (rowCount !== 1 || hostedThrough !== undefined) leases.discard(lease);
    return rowCount === 1;
  }
}
