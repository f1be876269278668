/** How long a round over all closed routes takes; ms. As open ones are compared where a doorbell rings (decision 50). */
const ROUND_MS = 15 * 60_000;
/** A look stays short, however many routes a depot has closed this week. */
const MOST_A_LOOK = 50;

/** Takes turns: which of the closed routes a look takes along, so that each is seen once a round. */
export class ClosedRounds {
  #lastLook: number | undefined;
  /** What is due: a route each `ROUND_MS`; of routes and milliseconds, for those are whole numbers. */
  #due = 0;
  /** The route that was seen last. */
  #last = '';

  /** @param closed names of routes · @param now ms; rises from look to look */
  take(closed: Iterable<string>, now: number): string[] {
    const routes = [...closed].sort();
    const elapsed = Math.min(now - (this.#lastLook ?? now), ROUND_MS);
    this.#lastLook = now;
    this.#due += routes.length * elapsed;
    const count = Math.min(Math.floor(this.#due / ROUND_MS), routes.length, MOST_A_LOOK);
    // What is left over was more than a look may take: it comes in its turn.
    this.#due = Math.min(this.#due - count * ROUND_MS, ROUND_MS);
    const first = routes.findIndex((route) => route > this.#last);
    const from = Math.max(first, 0);
    const turn = [...routes.slice(from), ...routes.slice(0, from)].slice(0, count);
    this.#last = turn.at(-1) ?? this.#last;
    return turn;
  }
}
