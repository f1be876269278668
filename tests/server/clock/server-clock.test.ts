import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CLOCK_TOLERANCE_MS, ServerClock } from '../../../server/src/clock/server-clock.ts';
import { TestMachine } from '../../support/machine-clocks.ts';

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
const start = Date.parse('2026-11-20T12:00:00Z');

function started() {
  const machine = new TestMachine(start);
  return { machine, clock: new ServerClock(machine) };
}

test('the wall clock counts while it agrees with the elapsed time', () => {
  const { machine, clock } = started();
  for (let step = 0; step < 100; step++) {
    machine.run(7 * SECOND);
    machine.setForward(20);
    expect(clock.now().getTime()).toBe(machine.wall());
  }
  expect(clock.jump).toBeUndefined();
});

test.each([2, 40, -2, -40])('a wall clock that jumps by %d days stamps nothing', (days) => {
  const { machine, clock } = started();
  machine.run(SECOND);
  machine.setForward(days * DAY);
  expect(clock.now()).toEqual(new Date(start + SECOND));
  machine.run(60 * SECOND);
  expect(clock.now()).toEqual(new Date(start + 61 * SECOND));
  expect(clock.jump).toEqual({ since: new Date(start + SECOND), aheadMs: days * DAY });
  machine.setForward(-days * DAY);
  expect(clock.now()).toEqual(new Date(start + 61 * SECOND));
  expect(clock.jump).toBeUndefined();
});

test('a machine that slept has the time of its wall clock', () => {
  const { machine, clock } = started();
  machine.sleep(8 * 3_600 * SECOND);
  expect(clock.now().getTime()).toBe(machine.wall());
  expect(clock.jump).toBeUndefined();
});

test('another clock counts over a wall clock that differs from the start', () => {
  const { machine, clock } = started();
  clock.set(start - 2 * DAY);
  machine.run(SECOND);
  expect(clock.now()).toEqual(new Date(start - 2 * DAY + SECOND));
  expect(clock.jump?.aheadMs).toBe(2 * DAY);
});

test('in spite of any wall clock, no stamp is further from the elapsed time than the tolerance', () => {
  const step = fc.oneof(
    fc.record({ run: fc.integer({ min: 1, max: 3_600 * SECOND }) }),
    fc.record({ set: fc.integer({ min: -40 * DAY, max: 40 * DAY }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { machine, clock } = started();
      let passed = 0;
      let offset = 0;
      for (const each of steps) {
        if ('run' in each) {
          machine.run(each.run);
          passed += each.run;
        } else {
          machine.setForward(each.set);
          // Small steps are followed one by one.
          if (clock.jump === undefined) offset = clock.now().getTime() - start - passed;
        }
        expect(Math.abs(clock.now().getTime() - start - passed - offset)).toBeLessThanOrEqual(CLOCK_TOLERANCE_MS);
      }
    }),
  );
});
