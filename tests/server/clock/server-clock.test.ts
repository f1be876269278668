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

test('follows the wall clock while it agrees with the elapsed time, however far small steps lead', () => {
  const { machine, clock } = started();
  // One minute in sum: more than the tolerance.
  for (let step = 0; step < 3_000; step++) {
    machine.run(7 * SECOND);
    machine.setForward(20);
    expect(clock.now().getTime()).toBe(machine.wall());
  }
  expect(clock.jump).toBeUndefined();
});

test.each([2, 40, -2, -40])('ignores a wall clock that has jumped by %d days', (days) => {
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

test('follows the wall clock after the machine slept', () => {
  const { machine, clock } = started();
  machine.sleep(8 * 3_600 * SECOND);
  expect(clock.now().getTime()).toBe(machine.wall());
  expect(clock.jump).toBeUndefined();
});

test('keeps a time that was set, although the wall clock differs from the start', () => {
  const { machine, clock } = started();
  clock.set(start - 2 * DAY);
  machine.run(SECOND);
  expect(clock.now()).toEqual(new Date(start - 2 * DAY + SECOND));
  expect(clock.jump?.aheadMs).toBe(2 * DAY);
});

test('never differs from the elapsed time by more than the tolerance, for any wall clock', () => {
  const step = fc.oneof(
    fc.record({ run: fc.integer({ min: 1, max: 3_600 * SECOND }) }),
    fc.record({ set: fc.integer({ min: -40 * DAY, max: 40 * DAY }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { machine, clock } = started();
      let elapsed = 0;
      let offset = 0;
      for (const each of steps) {
        if ('run' in each) {
          machine.run(each.run);
          elapsed += each.run;
        } else {
          machine.setForward(each.set);
          // The clock follows each small step.
          if (clock.jump === undefined) offset = clock.now().getTime() - start - elapsed;
        }
        expect(Math.abs(clock.now().getTime() - start - elapsed - offset)).toBeLessThanOrEqual(CLOCK_TOLERANCE_MS);
      }
    }),
  );
});
