import type { RouteKey } from '@tailgate/sync-protocol';
import type { Lease, Leases } from './lease.ts';

/** Listed at once: finding the oldest among all that is behind is paid once for so many. */
const LISTED = 2_000;
/** Claimed at once: enough that lanes seldom wait for a claim, few enough that other nodes get their share. */
const CLAIMED = 16;

/** What is to be done next: routes that are behind, the oldest change first. */
export class Agenda {
  readonly #leases: Leases;
  readonly #closeDelayMs: number;
  #listed: RouteKey[] = [];

  constructor(leases: Leases, closeDelayMs: number) {
    this.#leases = leases;
    this.#closeDelayMs = closeDelayMs;
  }

  /** Takes the next routes. Empty only where a list that is fresh holds nothing that could be taken. */
  async claim(): Promise<Lease[]> {
    for (let fresh = false; ;) {
      if (this.#listed.length === 0) {
        if (fresh) return [];
        this.#listed = await this.#leases.candidates(LISTED, this.#closeDelayMs);
        fresh = true;
      }
      if (this.#listed.length === 0) return [];
      const claimed = await this.#leases.claim(this.#listed.splice(0, CLAIMED), this.#closeDelayMs);
      if (claimed.length > 0) return claimed;
    }
  }
}
