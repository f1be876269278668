import { expect, test } from 'vitest';
import type { Sample } from '../../server/web/office/model/lag-chart.ts';
import { chartOf, highestOf, hoursOf } from '../../server/web/office/model/lag-chart.ts';

const now = Date.parse('2026-11-24T12:00:00.000Z');
const minutesAgo = (minutes: number, more: Partial<Sample> = {}): Sample => ({
  at: new Date(now - minutes * 60_000).toISOString(),
  lag_seconds: 0,
  routes_behind: 0,
  parked: 0,
  host_away: false,
  on_hold: false,
  ...more,
});
const box = { left: 0, right: 1_440, top: 0, bottom: 300 };

test('a minute is a unit of the width, and the present lag is the last point', () => {
  const chart = chartOf([minutesAgo(10), minutesAgo(5, { lag_seconds: 600 })], { now, seconds: 900 }, box);
  expect(chart.lines).toEqual([
    { line: 'M1430 300L1435 100L1440 0', area: 'M1430 300L1435 100L1440 0L1440 300L1430 300Z' },
  ]);
  expect(chart.end).toEqual({ x: 1_440, y: 0 });
  expect(chart.grid.map(({ seconds }) => seconds)).toEqual([0, 300, 600, 900]);
});

test('a time without a worker is a gap, and no zero', () => {
  const { lines } = chartOf([minutesAgo(60), minutesAgo(55), minutesAgo(5)], { now, seconds: 0 }, box);
  expect(lines.map(({ line }) => line)).toEqual(['M1380 300L1385 300', 'M1435 300L1440 300']);
});

test('holds and times without the host are spans, which end with their last five minutes', () => {
  const held = [45, 40, 10].map((minutes) => minutesAgo(minutes, { on_hold: true }));
  const { holds, aways } = chartOf([...held, minutesAgo(2, { host_away: true })], { now, seconds: 0 }, box);
  expect(holds.map(({ x, width }) => [x, width])).toEqual([
    [1_395, 10],
    [1_430, 5],
  ]);
  expect(aways.map(({ x, width, until }) => [x, width, until])).toEqual([[1_438, 2, now]]);
});

test('a lag of days fits, and each tick is a whole hour', () => {
  const chart = chartOf([minutesAgo(5, { lag_seconds: 3 * 86_400 + 1 })], { now: now + 60_000, seconds: 0 }, box);
  expect(chart.grid.at(-1)?.seconds).toBe(4 * 86_400);
  expect(chart.ticks.map(({ at }) => (now - at) / 3_600_000)).toEqual([20, 16, 12, 8, 4, 0]);
});

test('the table has the highest values of each hour, the newest first', () => {
  const samples = [
    minutesAgo(70, { lag_seconds: 5, on_hold: true }),
    minutesAgo(65, { lag_seconds: 7, routes_behind: 2 }),
    minutesAgo(5, { lag_seconds: 7, parked: 1, host_away: true }),
  ];
  expect(
    hoursOf(samples).map(({ seconds, routes, parked, isAway, isHeld }) => [seconds, routes, parked, isAway, isHeld]),
  ).toEqual([
    [7, 0, 1, true, false],
    [7, 2, 0, false, true],
  ]);
});

test('the highest value is the latest of equals, and the present lag counts before its first sample', () => {
  const samples = [minutesAgo(70, { lag_seconds: 7 }), minutesAgo(5, { lag_seconds: 7 })];
  expect(highestOf(samples, { now, seconds: 3 })).toEqual({ at: now - 300_000, lag: 7 });
  expect(highestOf([minutesAgo(5)], { now, seconds: 5_040 })).toEqual({ at: now, lag: 5_040 });
});
