/** A restart takes a moment, and a refused phone should not return at once. */
const LEAST_MS = 1_000;

/**
 * Spreads the reconnect times of refused phones evenly, so that a depot does not reconnect all at once. Past `mostMs`
 * the round begins anew.
 */
export class Slots {
  readonly #intervalMs: number;
  readonly #mostMs: number;
  #next = 0;

  constructor(intervalMs: number, mostMs: number) {
    this.#intervalMs = intervalMs;
    this.#mostMs = mostMs;
  }

  /**
   * @param now ms since 1970; where the clock is set back, the round begins anew
   * @returns ms from now
   */
  next(now: number): number {
    const slot = Math.max(this.#next, now);
    this.#next = slot + this.#intervalMs;
    return Math.round(LEAST_MS + ((slot - now) % this.#mostMs));
  }
}
