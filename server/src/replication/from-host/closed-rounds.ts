/**
 * Duration of one round over all closed routes, in ms. Open routes are compared as often where the host has a doorbell
 * (decision 50).
 */
const ROUND_MS = 15 * 60_000;
/** Keeps a poll short, however many routes a depot has closed this week. */
const MAX_PER_POLL = 50;

/** Chooses the closed routes that a poll includes, in turn, so that a round covers each of them once. */
export class ClosedRounds {
  #lastPollAt: number | undefined;
  /**
   * The share of the round that is due: one route each `ROUND_MS`, counted in routes × milliseconds to stay in whole
   * numbers.
   */
  #due = 0;
  /** The last route that was chosen. */
  #last = '';

  /** @param closed names of routes · @param now ms; rises from poll to poll */
  next(closed: Iterable<string>, now: number): string[] {
    const routes = [...closed].sort();
    const elapsed = Math.min(now - (this.#lastPollAt ?? now), ROUND_MS);
    this.#lastPollAt = now;
    this.#due += routes.length * elapsed;
    const count = Math.min(Math.floor(this.#due / ROUND_MS), routes.length, MAX_PER_POLL);
    // The remainder exceeds the limit of one poll: it comes in its turn.
    this.#due = Math.min(this.#due - count * ROUND_MS, ROUND_MS);
    const first = routes.findIndex((route) => route > this.#last);
    const from = Math.max(first, 0);
    const turn = [...routes.slice(from), ...routes.slice(0, from)].slice(0, count);
    this.#last = turn.at(-1) ?? this.#last;
    return turn;
  }
}
