/** A restart takes a moment, and a refused phone should not return at once. */
const MIN_MS = 1_000;

/**
 * Spreads the reconnect times of refused phones evenly, so that a depot does not reconnect all at once. Past `maxMs`
 * the round begins anew.
 */
export class Slots {
  readonly #intervalMs: number;
  readonly #maxMs: number;
  #next = 0;

  constructor(intervalMs: number, maxMs: number) {
    this.#intervalMs = intervalMs;
    this.#maxMs = maxMs;
  }

  /**
   * @param now ms since 1970; where the clock is set back, the round begins anew
   * @returns ms from now
   */
  next(now: number): number {
    const slot = Math.max(this.#next, now);
    this.#next = slot + this.#intervalMs;
    return Math.round(MIN_MS + ((slot - now) % this.#maxMs));
  }
}
