import { routeScope, type RouteKey } from '@tailgate/sync-protocol';
import type { Queryable } from '../../db/types.ts';
import { Interval } from '../../runtime/interval.ts';
import * as sql from './lease-sql.ts';

/**
 * The right to write one route's host rows. It ends by time. Each taking raises the fence, and a former owner's
 * confirmation under an old fence is refused.
 */
export interface Lease {
  readonly key: RouteKey;
  readonly fence: number;
}

/** After this a killed worker's routes are free; with the wake-up at the expiry other workers continue within 10 s. */
const LEASE_MS = 8_000;
const RENEW_MS = 2_500;

export interface LeaseOptions {
  readonly db: Queryable;
  /** Names this worker among all on all nodes. */
  readonly owner: string;
  readonly leaseMs?: number;
  readonly renewMs?: number;
}

/** The leases of one worker, renewed while it works. All times are PostgreSQL's own. */
export class Leases {
  readonly #db: Queryable;
  readonly #owner: string;
  readonly #leaseMs: number;
  readonly #leases = new Set<Lease>();
  readonly #renewals: Interval;

  constructor({ db, owner, leaseMs = LEASE_MS, renewMs = RENEW_MS }: LeaseOptions) {
    this.#db = db;
    this.#owner = owner;
    this.#leaseMs = leaseMs;
    this.#renewals = new Interval({
      work: () => this.#renew(),
      everyMs: renewMs,
      // PostgreSQL is away: the leases expire, and the fence guards all work under them.
      onError: () => undefined,
    });
  }

  get owner(): string {
    return this.#owner;
  }

  get leaseMs(): number {
    return this.#leaseMs;
  }

  /** Free routes with work for the host, the oldest change first. Takes none of them. */
  async candidates(limit: number, delayedSince: Date): Promise<RouteKey[]> {
    const { rows } = await this.#db.query<RouteKey>(sql.listRoutes, [limit, delayedSince]);
    return rows.map(({ facility, id, week_end }) => ({ facility, id, week_end }));
  }

  /** Takes those of these routes that are free and still have work, in the given order. */
  async claim(keys: readonly RouteKey[], delayedSince: Date): Promise<Lease[]> {
    const { rows } = await this.#db.query<LeaseRow>(sql.claimRoutes, [
      this.#owner,
      delayedSince,
      this.#leaseMs,
      ...sql.claimRoutes.parameters(keys),
    ]);
    // The statement takes them in key order (I13).
    const place = new Map(keys.map((key, index) => [routeScope(key), index]));
    const placeOf = (key: RouteKey) => place.get(routeScope(key)) ?? 0;
    return rows.sort((one, other) => placeOf(one) - placeOf(other)).map((row) => this.#addLease(row));
  }

  /** Takes the lease of one route, with or without work; undefined while another worker has it. */
  async acquire(key: RouteKey): Promise<Lease | undefined> {
    const values = [this.#owner, this.#leaseMs, key.facility, key.id, key.week_end];
    const { rows } = await this.#db.query<{ fence: number }>(sql.takeLease, values);
    const [taken] = rows;
    return taken && this.#addLease({ ...key, fence: taken.fence });
  }

  /** Whether this worker still has the lease, to its knowledge; PostgreSQL decides at the confirmation. */
  holds(lease: Lease): boolean {
    return this.#leases.has(lease);
  }

  async release(lease: Lease): Promise<void> {
    await this.releaseAll([lease], 0);
  }

  /** Releases routes; other workers may take them after `delayMs`. */
  async releaseAll(leases: readonly Lease[], delayMs: number): Promise<void> {
    const released = leases.filter((lease) => this.#removeLease(lease));
    if (released.length > 0) {
      const values = [this.#owner, delayMs, ...sql.releaseLeases.parameters(released)];
      await this.#db.query(sql.releaseLeases, values);
    }
  }

  /** Drops a lease that the confirming statement has released, or another worker has taken over. */
  discard(lease: Lease): void {
    this.#removeLease(lease);
  }

  /** Work that cannot be claimed now: whether another worker has some, and in how many ms a delayed route is free. */
  async unclaimableWork(): Promise<{ others: boolean; oursMs: number | undefined }> {
    const { rows } = await this.#db.query<{ others: number; ours_ms: number | null }>(sql.unclaimableWork, [
      this.#owner,
    ]);
    return { others: (rows[0]?.others ?? 0) > 0, oursMs: rows[0]?.ours_ms ?? undefined };
  }

  /** Ends the renewals. Leases that were not released expire. */
  async close(): Promise<void> {
    for (const lease of this.#leases) this.#removeLease(lease);
    await this.#renewals.stop();
  }

  #addLease({ facility, id, week_end, fence }: LeaseRow): Lease {
    const lease = { key: { facility, id, week_end }, fence };
    this.#leases.add(lease);
    this.#renewals.start();
    return lease;
  }

  #removeLease(lease: Lease): boolean {
    const had = this.#leases.delete(lease);
    if (this.#leases.size === 0) void this.#renewals.stop();
    return had;
  }

  async #renew(): Promise<void> {
    const leases = [...this.#leases];
    const values = [this.#owner, this.#leaseMs, ...sql.renewLeases.parameters(leases)];
    const { rows } = await this.#db.query<LeaseRow>(sql.renewLeases, values);
    const renewed = new Set(rows.map(nameOf));
    for (const lease of leases)
      if (!renewed.has(nameOf({ ...lease.key, fence: lease.fence }))) this.#removeLease(lease);
  }
}

type LeaseRow = RouteKey & { fence: number };

function nameOf({ facility, id, week_end, fence }: LeaseRow): string {
  return JSON.stringify([facility, id, week_end, fence]);
}
