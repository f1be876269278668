import type { RouteKey } from '@tailgate/sync-protocol';
import type { Lease, Leases } from './lease.ts';

/** Routes a list: one search for the oldest routes serves many claims. */
const LISTED = 2_000;
/** Routes a claim: enough that lanes seldom wait, few enough that other nodes get their share. */
const CLAIMED = 16;

interface ClaimListOptions {
  readonly clock: () => Date;
  /** The longest delay of a route's close. */
  readonly closeDelayMs: number;
}

/** The routes that are behind, the oldest change first. */
export class ClaimList {
  readonly #leases: Leases;
  readonly #options: ClaimListOptions;
  #listed: RouteKey[] = [];

  constructor(leases: Leases, options: ClaimListOptions) {
    this.#leases = leases;
    this.#options = options;
  }

  /** Takes the next routes. Empty only where a fresh list has nothing to take. */
  async claim(): Promise<Lease[]> {
    const { clock, closeDelayMs } = this.#options;
    const delayedSince = new Date(clock().getTime() - closeDelayMs);
    for (let fresh = false; ;) {
      if (this.#listed.length === 0) {
        if (fresh) return [];
        this.#listed = await this.#leases.candidates(LISTED, delayedSince);
        fresh = true;
      }
      if (this.#listed.length === 0) return [];
      const claimed = await this.#leases.claim(this.#listed.splice(0, CLAIMED), delayedSince);
      if (claimed.length > 0) return claimed;
    }
  }
}
