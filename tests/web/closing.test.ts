import type { LocalRoute, LocalStop } from '@tailgate/client-sdk';
import { describe, expect, test } from 'vitest';
import { closeOf, closingOf, countdownOf } from '../../server/web/driver/model/closing.ts';
import { stopOf } from './route-stop.ts';

const arrived = { start_delivery_time: '2026-11-23T16:20:00.000Z' };
const deadline = '2026-11-23T16:30:00.000Z';
const home = (result?: Parameters<typeof stopOf>[1]): LocalStop => stopOf({ id: 999, type: 'warehouse' }, result);

function routeOf(stops: readonly LocalStop[], more: Partial<LocalRoute> = {}): LocalRoute {
  const key = { facility: 'F01', id: 'R100', week_end: '20261128' };
  return {
    ...key,
    key,
    scope: 'route:F01/R100/20261128',
    name: 'Chicago',
    status: 'O',
    arrived: false,
    closed_at: null,
    closed_by: null,
    withdrawn: false,
    autoclose_at: null,
    forceclose_at: null,
    drivers: [],
    draft: undefined,
    stops,
    ...more,
  };
}

describe('the state of a return', () => {
  const state = (stop: LocalStop, more?: Partial<LocalRoute>) => closingOf(routeOf([stop], more), stop).state;

  test.each<[string, LocalStop, Partial<LocalRoute>, string]>([
    ['nothing recorded', home(), {}, 'away'],
    ['an arrival without a timer', home({ status: 'P', arrived: true, updates: arrived }), {}, 'arrived'],
    ['an arrival of the other driver', home(), { arrived: true }, 'arrived'],
    ['a timer', home({ status: 'P', arrived: true }), { autoclose_at: deadline }, 'counting'],
    ['a close that the office does not have', home({ status: 'D' }), { autoclose_at: deadline }, 'closing'],
    ['a closed route', home({ status: 'D' }), { status: 'C' }, 'closed'],
    ['a timer that has closed it', home({ status: 'C' }), { status: 'C', closed_by: 'A' }, 'closed'],
  ])('after %s', (_name, stop, more, expected) => {
    expect(state(stop, more)).toBe(expected);
  });

  test('the earlier of two timers counts, and a timer’s close is not the driver’s', () => {
    const stop = home({ status: 'C' });
    const later = { autoclose_at: deadline, forceclose_at: '2026-11-23T16:40:00.000Z' };
    expect(closingOf(routeOf([stop], later), stop).deadline).toBe(Date.parse(deadline));
    expect(closingOf(routeOf([stop], { closed_by: 'F' }), stop).byTimer).toBe(true);
    expect(closingOf(routeOf([stop], { closed_by: 'D' }), stop).byTimer).toBe(false);
  });

  test('open stops are those of customers without a result', () => {
    const stops = [stopOf({ id: 1 }, { status: 'D' }), stopOf({ id: 2 }), stopOf({ id: 3 }, { status: 'R' }), home()];
    const { open, finished, total } = closingOf(routeOf(stops), home());
    expect(open.map(({ id }) => id)).toEqual([2]);
    expect({ finished, total }).toEqual({ finished: 2, total: 3 });
  });
});

test('a close contains the arrival, and keeps the time of an earlier one', () => {
  const at = new Date(deadline);
  expect(closeOf(home(), at)).toEqual({
    arrived: true,
    updates: { status: 'D', end_delivery_time: at, start_delivery_time: at },
  });
  expect(closeOf(home({ status: 'P', arrived: true, updates: arrived }), at)).toEqual({
    arrived: true,
    updates: { status: 'D', end_delivery_time: at },
  });
});

test('a countdown shows minutes and seconds, an hour before them, and never less than nothing', () => {
  const end = Date.parse(deadline);
  const began = Date.parse(arrived.start_delivery_time);
  const text = (ms: number) => countdownOf(end, end - ms, began).text;
  expect([462_000, 461_001, 59_000, 0, -5_000].map(text)).toEqual(['7:42', '7:42', '0:59', '0:00', '0:00']);
  expect(text(3_600_000 + 462_000)).toBe('1:07:42');
  expect(countdownOf(end, end - 300_000, began).percent).toBe(50);
  expect(countdownOf(end, end - 300_000, undefined).percent).toBe(50);
  expect(countdownOf(end, end - 700_000, began).percent).toBe(100);
});
