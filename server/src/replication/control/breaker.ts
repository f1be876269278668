/**
 * One breaker for the whole host. While the host is away it lets one probe through now and then.
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
/** The longest wait for the first row after an outage. */
const LONGEST_WAIT_MS = 10_000;
/** A missing table or authority waits for a person, so frequent probes are useless. */
const SETUP_WAIT_MS = 15_000;

export interface Failure {
  readonly at: Date;
  readonly reason: string;
  readonly setup: boolean;
}

/** @param random from 0 to 1: full jitter, so that the nodes do not come back all at once */
export function fail(breaker: Breaker, failure: Failure, random: number): OpenBreaker {
  const failures = breaker.failures + 1;
  const ceiling = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
  const waitMs = failure.setup ? SETUP_WAIT_MS : Math.ceil(ceiling * random);
  const since = breaker.state === 'open' ? breaker.since : failure.at;
  return { state: 'open', failures, since, reason: failure.reason, waitMs };
}

/**
 * The host has answered. The count of failures stays until a write is confirmed: the host may answer and still refuse.
 */
export function answer(breaker: Breaker): Breaker {
  return { state: 'closed', failures: breaker.failures };
}

/** Full jitter for one route with locked rows or a deadlock. The other routes continue. */
export function routeDelayMs(failures: number, random: number): number {
  return Math.ceil(Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS) * random);
}
