import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Event, State } from '../../client-sdk/src/connection/machine.ts';
import { defaultTiming, step } from '../../client-sdk/src/connection/machine.ts';

const timing = defaultTiming;

/** Applies the events. @returns the last state */
const play = (events: readonly Event[], start: State = { at: 'resting' }, fraction = 0.5): State =>
  events.reduce((state, event) => step(state, event, timing, fraction), start);

const wanted: Event = { is: 'wanted' };
const opened: Event = { is: 'opened' };
const closed: Event = { is: 'closed' };
const welcomed: Event = { is: 'welcomed', pingMs: 60_000 };
const receivedFrame: Event = { is: 'received' };
const time: Event = { is: 'time' };
const woken: Event = { is: 'woken' };
const toLive = [wanted, opened, welcomed, receivedFrame];

describe('the connection machine', () => {
  test('connects when there is a reason, sends hello, and then a ping at once', () => {
    expect(play([wanted])).toEqual({ at: 'opening', attempt: 0, forMs: 10_000 });
    expect(play([wanted, opened])).toEqual({ at: 'greeting', attempt: 0, forMs: 10_000 });
    expect(play([wanted, opened, welcomed])).toMatchObject({ at: 'live', awaitsPong: true, forMs: 5_000 });
    expect(play(toLive)).toEqual({ at: 'live', attempt: 0, pingMs: 9_000, awaitsPong: false, forMs: 9_000 });
  });

  test('detects a half-open socket within 15 seconds', () => {
    expect(play([...toLive, time])).toMatchObject({ at: 'live', awaitsPong: true, forMs: 5_000 });
    expect(play([...toLive, time, time]).at).toBe('waiting');
    expect(timing.pingMs + timing.answerMs).toBeLessThan(15_000);
  });

  test('sends a ping after a wake-up, and gives the socket up after the time of one answer', () => {
    expect(play([...toLive, woken])).toMatchObject({ at: 'live', awaitsPong: true, forMs: 5_000 });
    expect(play([...toLive, woken, time]).at).toBe('waiting');
    expect(play([...toLive, woken, receivedFrame])).toEqual(play(toLive));
  });

  test('backs off exponentially with full jitter, up to the cap', () => {
    const bounds: number[] = [];
    let state = play([wanted]);
    for (let n = 0; n < 8; n++) {
      const waiting = step(state, closed, timing, 1);
      bounds.push('forMs' in waiting ? waiting.forMs : Number.NaN);
      state = step(waiting, time, timing, 1);
    }
    expect(bounds).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
    expect(play([closed], state, 0)).toMatchObject({ at: 'waiting', forMs: 0 });
  });

  test('ends the back-off only after an answer: a welcome on a socket that breaks is not enough', () => {
    const crashLoop = play([wanted, closed, time, opened, welcomed, closed]);
    expect(crashLoop).toMatchObject({ at: 'waiting', attempt: 2 });
    const answered = play([wanted, closed, time, opened, welcomed, receivedFrame, closed]);
    expect(answered).toMatchObject({ at: 'waiting', attempt: 1 });
  });

  test('connects at once after a hint that the network is back, from the first delay on', () => {
    expect(play([woken], { at: 'waiting', attempt: 7, forMs: 30_000 })).toEqual(play([wanted]));
  });

  test('waits at least as long as the server demands after a temporary rejection', () => {
    const rejected: Event = { is: 'closed', retryAfterMs: 7_000 };
    expect(play([wanted, opened, rejected], { at: 'resting' }, 0)).toEqual({
      at: 'deferred',
      attempt: 1,
      forMs: 7_000,
    });
  });

  test('waits until the moment that a closing server named; no hint shortens the wait', () => {
    const goodbye: Event = { is: 'closed', retryAfterMs: 4_000 };
    const deferred = play([...toLive, goodbye], { at: 'resting' }, 0);
    expect(deferred).toEqual({ at: 'deferred', attempt: 1, forMs: 4_000 });
    // The same object: its timer continues.
    expect(play([woken, closed, wanted, woken], deferred)).toBe(deferred);
    expect(play([time], deferred)).toEqual({ at: 'opening', attempt: 1, forMs: 10_000 });
    // A sign-in of a person ends the wait.
    expect(play([{ is: 'renewed' }], deferred)).toEqual(play([wanted]));
  });

  test('stays barred after a final rejection until new credentials come, regardless of hints and time', () => {
    const barred = play([wanted, opened, { is: 'barred' }]);
    expect(barred).toEqual({ at: 'barred' });
    expect(play([woken, time, wanted], barred)).toBe(barred);
    expect(play([{ is: 'renewed' }], barred)).toEqual(play([wanted]));
  });

  test('retries a server of another protocol after minutes, later after half an hour; no hint shortens the wait', () => {
    const bounds: number[] = [];
    let state = play([wanted, opened]);
    for (let n = 0; n < 7; n++) {
      const outdated = step(state, { is: 'outdated' }, timing, 1);
      expect(outdated.at).toBe('outdated');
      expect(play([woken, closed, wanted], outdated)).toBe(outdated);
      bounds.push('forMs' in outdated ? outdated.forMs / 60_000 : Number.NaN);
      state = play([time, opened], outdated);
    }
    expect(bounds).toEqual([1, 2, 4, 8, 16, 30, 30]);
    // A sign-in of the driver, and an upgraded server.
    expect(play([{ is: 'renewed' }], step(state, { is: 'outdated' }, timing, 1))).toEqual(play([wanted]));
    expect(play([welcomed, receivedFrame], state)).toEqual(play(toLive));
  });

  /**
   * All transitions: the state after each event in each state. `stays` is the same object, and a decision: its timer
   * continues. A new state or event fails to compile until each of its cells is filled.
   */
  type Cell = State['at'] | 'stays';
  type Row = Record<Exclude<Event['is'], 'closed'>, Cell> & { closed: Cell; closedUntil: Cell };
  const ended = { closed: 'waiting', closedUntil: 'deferred', barred: 'barred', outdated: 'outdated' } as const;
  const noSocket = {
    opened: 'stays',
    welcomed: 'stays',
    received: 'stays',
    closed: 'stays',
    closedUntil: 'stays',
    barred: 'stays',
    outdated: 'stays',
  } as const;
  const open = { wanted: 'stays', unwanted: 'resting', renewed: 'opening', ...ended } as const;
  const untilMoment = { wanted: 'stays', unwanted: 'resting', time: 'opening', renewed: 'opening' } as const;
  const table: Record<State['at'] | 'pinging', Row> = {
    resting: { ...noSocket, wanted: 'opening', unwanted: 'stays', woken: 'stays', renewed: 'stays', time: 'stays' },
    opening: { ...open, opened: 'greeting', welcomed: 'stays', received: 'stays', woken: 'stays', time: 'waiting' },
    greeting: { ...open, opened: 'stays', welcomed: 'live', received: 'stays', woken: 'stays', time: 'waiting' },
    live: { ...open, opened: 'stays', welcomed: 'stays', received: 'stays', woken: 'live', time: 'live' },
    pinging: { ...open, opened: 'stays', welcomed: 'stays', received: 'live', woken: 'live', time: 'waiting' },
    waiting: { ...noSocket, ...untilMoment, woken: 'opening' },
    deferred: { ...noSocket, ...untilMoment, woken: 'stays' },
    outdated: { ...noSocket, ...untilMoment, woken: 'stays' },
    barred: {
      ...noSocket,
      ...{ wanted: 'stays', unwanted: 'resting', woken: 'stays', renewed: 'opening', time: 'stays' },
    },
  };
  const states: Record<keyof typeof table, State> = {
    resting: { at: 'resting' },
    opening: play([wanted]),
    greeting: play([wanted, opened]),
    live: play(toLive),
    pinging: play([wanted, opened, welcomed]),
    waiting: play([...toLive, closed]),
    deferred: play([...toLive, { is: 'closed', retryAfterMs: 5 }]),
    outdated: play([wanted, opened, { is: 'outdated' }]),
    barred: play([wanted, opened, { is: 'barred' }]),
  };
  const eachEvent: Record<keyof Row, Event> = {
    ...{ wanted, opened, closed, welcomed, time, woken },
    received: receivedFrame,
    unwanted: { is: 'unwanted' },
    renewed: { is: 'renewed' },
    closedUntil: { is: 'closed', retryAfterMs: 5 },
    barred: { is: 'barred' },
    outdated: { is: 'outdated' },
  };

  test('has the transitions of its table, and no others', () => {
    const seen = Object.fromEntries(
      Object.entries(states).map(([name, state]) => {
        const after = (event: Event): Cell => {
          const next = step(state, event, timing, 0.5);
          return next === state ? 'stays' : next.at;
        };
        return [name, Object.fromEntries(Object.entries(eachEvent).map(([is, event]) => [is, after(event)]))];
      }),
    );
    expect(seen).toEqual(table);
  });

  const anyEvent = fc.constantFrom<Event>(
    wanted,
    { is: 'unwanted' },
    opened,
    closed,
    welcomed,
    receivedFrame,
    woken,
    { is: 'renewed' },
    time,
    { is: 'closed', retryAfterMs: 5 },
    { is: 'barred' },
    { is: 'outdated' },
  );

  test('for any sequence of events, a waiting state ends in time and a resting state has no timer', () => {
    const fraction = fc.double({ min: 0, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), fraction, (events, jitter) => {
        let state: State = { at: 'resting' };
        for (const event of events) {
          state = step(state, event, timing, jitter);
          const isIdle = state.at === 'resting' || state.at === 'barred';
          expect(isIdle).toBe(!('forMs' in state));
          // Time changes every waiting state.
          expect(isIdle).toBe(step(state, time, timing, jitter) === state);
        }
      }),
    );
  });
});
