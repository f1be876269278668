import { expect, test } from 'vitest';
import {
  answer,
  closedBreaker,
  fail,
  routeDelayMs,
  type Breaker,
} from '../../../server/src/replication/control/breaker.ts';

const failure = { at: new Date('2026-11-21T16:00:00Z'), reason: '08001 away', setup: false };

test('waits grow to ten seconds and no further, with full jitter', () => {
  let breaker: Breaker = closedBreaker;
  const waits: number[] = [];
  for (let n = 0; n < 9; n++) {
    const open = fail(breaker, failure, 1);
    waits.push(open.waitMs);
    breaker = open;
  }
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
  expect(fail(breaker, failure, 0.1).waitMs).toBe(1_000);
});

test('an outage begins with its first failure', () => {
  const first = fail(closedBreaker, failure, 1);
  const second = fail(first, { ...failure, at: new Date('2026-11-21T17:00:00Z'), reason: '08003 broken' }, 1);
  expect(second).toMatchObject({ since: failure.at, reason: '08003 broken', failures: 2 });
});

test('a host that answers and fails again does not shorten the delay', () => {
  const open = fail(fail(closedBreaker, failure, 1), failure, 1);
  expect(fail(answer(open), failure, 1).waitMs).toBe(1_000);
});

test('a set-up failure is probed seldom', () => {
  expect(fail(closedBreaker, { ...failure, setup: true }, 0).waitMs).toBe(15_000);
});

test('a route with locked rows waits longer each time', () => {
  expect([1, 2, 3, 10].map((failures) => routeDelayMs(failures, 1))).toEqual([500, 1_000, 2_000, 10_000]);
});
