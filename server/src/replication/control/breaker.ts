/**
 * One breaker for the whole host: when it is away nobody hammers it, one probe asks for it now and then.
 *
 *   closed ──fails──► open ──probe answers──► closed (still counting) ──a write is confirmed──► closed
 *                      ▲ │
 *                      └─┘ probe fails: wait longer
 */
export type Breaker = { readonly state: 'closed'; readonly failures: number } | OpenBreaker;
export interface OpenBreaker {
  readonly state: 'open';
  readonly failures: number;
  readonly since: Date;
  readonly reason: string;
  /** Until the next probe. */
  readonly waitMs: number;
}

export const closedBreaker: Breaker = { state: 'closed', failures: 0 };

const FIRST_WAIT_MS = 250;
/** After an outage the first row is on its way within this. */
const LONGEST_WAIT_MS = 10_000;
/** A missing table or authority waits for a person: no use in asking every moment. */
const SETUP_WAIT_MS = 15_000;

export interface Failure {
  readonly at: Date;
  readonly reason: string;
  readonly setup: boolean;
}

/** @param random from 0 to 1: full jitter, so that the nodes of a fleet do not come back all at once */
export function fail(breaker: Breaker, failure: Failure, random: number): OpenBreaker {
  const failures = breaker.failures + 1;
  const ceiling = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
  const waitMs = failure.setup ? SETUP_WAIT_MS : Math.ceil(ceiling * random);
  const since = breaker.state === 'open' ? breaker.since : failure.at;
  return { state: 'open', failures, since, reason: failure.reason, waitMs };
}

/** The host has answered. It counts as well only when a write has come through: an answer alone may be half a host. */
export function answer(breaker: Breaker): Breaker {
  return { state: 'closed', failures: breaker.failures };
}

/** Full jitter for one route whose rows are locked or in a deadlock: the others go on meanwhile. */
export function routeDelayMs(failures: number, random: number): number {
  return Math.ceil(Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS) * random);
}
