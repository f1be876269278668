import { routeScope } from '@tailgate/sync-protocol';
import { expectFiles } from '../../assets/queries.ts';
import { textArray } from '../../db/arrays.ts';
import type { Queryable } from '../../db/types.ts';
import type { Lease, Leases } from './lease.ts';
import type { LogEntry } from './replication-log.ts';
import { settleRoute } from './route-sql.ts';

/** An entry for a person: a stop (or −1, the route's own row), the reason, and the rows to write. */
export interface ParkedRow {
  readonly stop: number;
  readonly version: number;
  readonly sqlstate: string;
  readonly reason: string;
  readonly payload: string;
}

interface ConfirmedRows {
  readonly stop: number;
  readonly sequence: number;
  /** The shadow's text. */
  readonly rows: string;
}

/** An item for review, for which nothing waits. */
interface ReviewItem {
  readonly kind: string;
  readonly details: object;
}

/** Collects the results of a pass over a route until they are saved in PostgreSQL. */
export class PassResult {
  /** When the pass began, of `performance.now()`. */
  readonly #begunAt = performance.now();
  #confirmed: ConfirmedRows[] = [];
  #freed: number[] = [];
  #parked: ParkedRow[] = [];
  #reviews: ReviewItem[] = [];
  #named: string[] = [];
  #logged: LogEntry[] = [];

  get unsaved(): number {
    return this.#confirmed.length;
  }

  confirmed(rows: ConfirmedRows): void {
    this.#confirmed.push(rows);
  }

  /** This stop is no longer parked. */
  freed(stop: number): void {
    this.#freed.push(stop);
  }

  parked(row: ParkedRow): void {
    this.#parked.push(row);
  }

  review(item: ReviewItem): void {
    this.#reviews.push(item);
  }

  /** For the host's own log. */
  logged(entry: LogEntry): void {
    this.#logged.push(entry);
  }

  /** Returns the entries since the last call. */
  takeLogged(): LogEntry[] {
    return this.#logged.splice(0);
  }

  /** A file that a stop names, perhaps long before its bytes come. */
  named(asset: string): void {
    this.#named.push(asset);
  }

  /**
   * Registers the named files, so that the host receives their state, and the office learns in time which are missing.
   */
  async expectNamed(db: Queryable, now: Date): Promise<void> {
    await expectFiles(db, this.#named, now);
    this.#named = [];
  }

  /**
   * Saves everything in one statement that the lease's fence guards, with `hostedThrough` where a pass is complete; then it
   * also releases the lease. False where another worker has the route now: nothing was saved.
   */
  async save(db: Queryable, leases: Leases, lease: Lease, hostedThrough?: number): Promise<boolean> {
    const [confirmed, freed, parked, reviews] = [this.#confirmed, this.#freed, this.#parked, this.#reviews];
    const { facility, id, week_end } = lease.key;
    const { rowCount } = await db.query(settleRoute, [
      facility,
      id,
      week_end,
      leases.owner,
      lease.fence,
      hostedThrough === undefined ? leases.leaseMs : 0,
      confirmed.map(({ stop }) => stop),
      confirmed.map(({ sequence }) => sequence),
      textArray(confirmed.map(({ rows }) => rows)),
      freed,
      parked.map(({ stop }) => stop),
      parked.map(({ version }) => version),
      textArray(parked.map(({ sqlstate }) => sqlstate)),
      textArray(parked.map(({ reason }) => reason)),
      textArray(parked.map(({ payload }) => payload)),
      hostedThrough ?? 0,
      routeScope(lease.key),
      textArray(reviews.map(({ kind }) => kind)),
      textArray(reviews.map(({ details }) => JSON.stringify(details))),
      performance.now() - this.#begunAt,
    ]);
    this.#confirmed = [];
    this.#freed = [];
    this.#parked = [];
    this.#reviews = [];
    if (rowCount !== 1 || hostedThrough !== undefined) leases.forget(lease);
    return rowCount === 1;
  }
}
