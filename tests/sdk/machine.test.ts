import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Effect, Event, State } from '../../client-sdk/src/connection/machine.ts';
import { defaultTiming, step } from '../../client-sdk/src/connection/machine.ts';

const timing = defaultTiming;

/** Plays events and gives the last step's state and effects in short. */
function play(events: readonly Event[], start: State = { at: 'resting' }, fraction = 0.5): [State, string[]] {
  let state = start;
  let said: readonly Effect[] = [];
  for (const event of events) [state, said] = step(state, event, timing, fraction);
  return [state, said.map((effect) => (effect.do === 'timer' ? `timer ${effect.ms}` : effect.do))];
}

const wanted: Event = { is: 'wanted' };
const opened: Event = { is: 'opened' };
const closed: Event = { is: 'closed' };
const welcomed: Event = { is: 'welcomed', pingMs: 60_000 };
const heard: Event = { is: 'heard' };
const time: Event = { is: 'time' };
const woken: Event = { is: 'woken' };
const toLive = [wanted, opened, welcomed, heard];

describe('the connection machine', () => {
  test('connects when there is a reason to, says hello, and asks at once for a sign of life', () => {
    expect(play([wanted])).toEqual([{ at: 'opening', attempt: 0 }, ['open', 'timer 10000']]);
    expect(play([wanted, opened])).toEqual([{ at: 'greeting', attempt: 0 }, ['hello', 'timer 10000']]);
    expect(play([wanted, opened, welcomed])[1]).toEqual(['ping', 'timer 5000']);
    expect(play(toLive)).toEqual([{ at: 'live', attempt: 0, pingMs: 9_000, asked: false }, ['timer 9000']]);
  });

  test('finds a half-open socket within 15 seconds', () => {
    expect(play([...toLive, time])[1]).toEqual(['ping', 'timer 5000']);
    const [state, effects] = play([...toLive, time, time]);
    expect(state.at).toBe('waiting');
    expect(effects[0]).toBe('close');
    expect(timing.pingMs + timing.answerMs).toBeLessThan(15_000);
  });

  test('asks at once after a wake-up, and gives a dead socket up after the time of one answer', () => {
    expect(play([...toLive, woken])[1]).toEqual(['ping', 'timer 5000']);
    expect(play([...toLive, woken, time])[0].at).toBe('waiting');
    expect(play([...toLive, woken, heard])[0]).toEqual({ at: 'live', attempt: 0, pingMs: 9_000, asked: false });
  });

  test('backs off exponentially with full jitter, up to the cap', () => {
    const bounds: number[] = [];
    let state: State = { at: 'opening', attempt: 0 };
    for (let n = 0; n < 8; n++) {
      const [waiting, effects] = step(state, closed, timing, 1);
      const timer = effects.find((effect) => effect.do === 'timer');
      bounds.push(timer?.ms ?? Number.NaN);
      [state] = step(waiting, time, timing, 1);
    }
    expect(bounds).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(step({ at: 'opening', attempt: 3 }, closed, timing, 0)[1]).toEqual([{ do: 'timer', ms: 0 }]);
  });

  test('only an answer ends the back-off: a welcome after which the socket dies does not', () => {
    const crashLoop = play([wanted, closed, time, opened, welcomed, closed]);
    expect(crashLoop[0]).toEqual({ at: 'waiting', attempt: 2 });
    expect(play([wanted, closed, time, opened, welcomed, heard, closed])[0]).toEqual({ at: 'waiting', attempt: 1 });
  });

  test('a hint that the network is back tries at once, from the start', () => {
    expect(play([woken], { at: 'waiting', attempt: 7 })).toEqual([
      { at: 'opening', attempt: 0 },
      ['open', 'timer 10000'],
    ]);
  });

  test('a rejection that may pass waits at least as long as the server says', () => {
    const rejected: Event = { is: 'rejected', code: 'RATE_LIMITED', final: false, retryAfterMs: 7_000 };
    expect(play([rejected], { at: 'greeting', attempt: 0 }, 0)).toEqual([
      { at: 'deferred', attempt: 1 },
      ['close', 'timer 7000'],
    ]);
  });

  test('a server that says goodbye names the moment, and no hint brings it forward', () => {
    const goodbye: Event = { is: 'told goodbye', retryAfterMs: 4_000 };
    const [deferred, effects] = play([...toLive, goodbye], { at: 'resting' }, 0);
    expect([deferred, effects]).toEqual([{ at: 'deferred', attempt: 1 }, ['close', 'timer 4000']]);
    expect(play([woken, closed, wanted, woken], deferred)[0]).toEqual(deferred);
    expect(play([time], deferred)).toEqual([{ at: 'opening', attempt: 1 }, ['open', 'timer 10000']]);
    // A person who signs in is no storm.
    expect(play([{ is: 'renewed' }], deferred)[0]).toEqual({ at: 'opening', attempt: 0 });
  });

  test('a final rejection bars until other credentials come; no hint and no time opens it', () => {
    const rejected: Event = { is: 'rejected', code: 'INVALID_TOKEN', final: true, retryAfterMs: 0 };
    const [barred, effects] = play([wanted, opened, rejected]);
    expect([barred, effects]).toEqual([{ at: 'barred', code: 'INVALID_TOKEN' }, ['close', 'no timer']]);
    expect(play([woken, time, wanted], barred)[0]).toEqual(barred);
    expect(play([{ is: 'renewed' }], barred)[0]).toEqual({ at: 'opening', attempt: 0 });
  });

  const anyEvent = fc.constantFrom<Event>(
    wanted,
    { is: 'unwanted' },
    opened,
    closed,
    welcomed,
    heard,
    woken,
    { is: 'renewed' },
    time,
    { is: 'rejected', code: 'X', final: true, retryAfterMs: 0 },
    { is: 'rejected', code: 'X', final: false, retryAfterMs: 5 },
    { is: 'rejected', code: 'X', final: false, retryAfterMs: 0 },
    { is: 'told goodbye', retryAfterMs: 5 },
  );

  test('whatever happens: a state that waits has its timer running, one that rests has none', () => {
    const fraction = fc.double({ min: 0, max: 0.999, noNaN: true });
    const faults: string[] = [];
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), fraction, (events, jitter) => {
        let state: State = { at: 'resting' };
        let [running, sockets] = [false, 0];
        for (const event of events) {
          if (event.is === 'time' && !running) continue;
          if (event.is === 'time') running = false;
          if (event.is === 'closed') sockets = 0;
          const [next, effects] = step(state, event, timing, jitter);
          state = next;
          for (const effect of effects) {
            if (effect.do === 'timer') running = true;
            if (effect.do === 'no timer') running = false;
            if (effect.do === 'close') sockets = 0;
            if (effect.do === 'open') sockets++;
          }
          const idle = state.at === 'resting' || state.at === 'barred';
          if (!idle && !running) faults.push(`${state.at} waits for ever after ${event.is}`);
          if (idle && running) faults.push(`${state.at} has a timer after ${event.is}`);
          if (idle && sockets > 0) faults.push(`${state.at} leaves a socket open after ${event.is}`);
          if (sockets > 1) faults.push(`a second socket beside the first after ${event.is}`);
        }
        return faults.length === 0;
      }),
    );
    expect(faults).toEqual([]);
  });
});
