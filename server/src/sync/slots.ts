/** A restart takes a moment; and whoever is sent away by a node that is full should not be back at once. */
const LEAST_MS = 1_000;

/**
 * Moments at which phones that were sent away are to come back: one for each, evenly apart, so that a depot that was lost
 * at once does not come back at once. Past `mostMs` the round begins anew.
 */
export class Slots {
  readonly #apartMs: number;
  readonly #mostMs: number;
  #next = 0;

  constructor(apartMs: number, mostMs: number) {
    this.#apartMs = apartMs;
    this.#mostMs = mostMs;
  }

  /**
   * @param now ms since 1970; where the clock is set back, the round begins anew
   * @returns ms from now
   */
  next(now: number): number {
    const slot = Math.max(this.#next, now);
    this.#next = slot + this.#apartMs;
    return Math.round(LEAST_MS + ((slot - now) % this.#mostMs));
  }
}
