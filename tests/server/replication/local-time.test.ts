import { describe, expect, test } from 'vitest';
import { hostMoment, instantOf } from '../../../server/src/host/files/local-time.ts';

const HOUR = 3_600_000;
const [from, until] = [Date.UTC(2026, 0, 1), Date.UTC(2028, 0, 1)];

/** Milliseconds ahead of UTC as the runtime itself prints them, without any code of ours. */
function offsets(zone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  return (instant) => {
    const [, sign, hours, minutes, seconds = '0'] =
      /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(format.format(instant)) ?? [];
    if (sign === undefined) return 0;
    return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * 60_000 + Number(seconds) * 1_000);
  };
}

/** Each instant in two years at which the clocks of a zone are set, to the second. */
function jumps(offsetAt: (instant: number) => number): number[] {
  const found: number[] = [];
  for (let week = from; week < until; week += 7 * 24 * HOUR) {
    let [low, high] = [week, week + 7 * 24 * HOUR];
    if (offsetAt(low) === offsetAt(high)) continue;
    while (high - low > 1_000) {
      const middle = Math.floor((low + high) / 2_000) * 1_000;
      if (offsetAt(middle) === offsetAt(low)) low = middle;
      else high = middle;
    }
    found.push(high);
  }
  return found;
}

const zones = Intl.supportedValuesOf('timeZone').map((zone) => {
  const offsetAt = offsets(zone);
  return { zone, offsetAt, jumps: jumps(offsetAt) };
});
const wallClock = (local: number) => {
  const [date = '', time = ''] = new Date(local).toISOString().slice(0, 19).replace(/[-:]/g, '').split('T');
  return { date: String(Number(date)), time: String(Number(time)) };
};

describe('a host moment at each jump of each zone', () => {
  test('there are jumps of an hour and of half an hour, both ways', () => {
    const sizes = zones.flatMap(({ offsetAt, jumps: all }) => all.map((at) => offsetAt(at) - offsetAt(at - 1_000)));
    for (const size of [HOUR, HOUR / 2]) expect(sizes).toEqual(expect.arrayContaining([size, -size]));
  });

  test('is the time of the clock there, and converts back to its instant: in a repeated hour to the first', () => {
    const wrong: unknown[] = [];
    for (const { zone, offsetAt, jumps: all } of zones)
      for (const jump of all) {
        const step = offsetAt(jump) - offsetAt(jump - 1_000);
        for (const near of [-1_000, 0, -HOUR, HOUR - 1_000, HOUR, -5 * HOUR, 5 * HOUR]) {
          const instant = jump + near;
          const shown = hostMoment(new Date(instant), zone);
          const again = instantOf(shown, zone)?.getTime();
          // Set back by `step`: the times until so long after the jump were shown before it.
          const first = instant >= jump && instant < jump - step ? instant + step : instant;
          const clock = wallClock(instant + offsetAt(instant));
          if (shown.date !== clock.date || shown.time !== clock.time || again !== first)
            wrong.push({
              zone,
              instant: new Date(instant).toISOString(),
              shown,
              again: again && new Date(again).toISOString(),
            });
        }
      }
    expect(wrong).toEqual([]);
  });

  test('at a skipped time uses the offset before the jump', () => {
    const wrong: unknown[] = [];
    for (const { zone, offsetAt, jumps: all } of zones)
      for (const jump of all) {
        const before = offsetAt(jump - 1_000);
        if (offsetAt(jump) <= before) continue;
        const missing = wallClock(jump + before + 60_000);
        const read = instantOf(missing, zone)?.getTime();
        if (read !== jump + 60_000) wrong.push({ zone, missing, read });
      }
    expect(wrong).toEqual([]);
  });
});

describe('a host moment of a mistyped year', () => {
  test.each([
    ['0001-01-01T00:00:00Z', 'UTC', '10101', '0'],
    // Before 1883 Chicago's clock was 5:50:36 behind.
    ['0001-01-02T00:00:00Z', 'America/Chicago', '10101', '180924'],
    ['0026-11-20T12:00:00Z', 'America/Chicago', '261120', '60924'],
    ['0099-12-31T23:59:59Z', 'UTC', '991231', '235959'],
    ['1899-12-31T18:00:00Z', 'America/Chicago', '18991231', '120000'],
    ['9999-12-31T18:00:00Z', 'America/Chicago', '99991231', '120000'],
  ])('%s in %s is %s, and converts back', (text, zone, date, time) => {
    const instant = new Date(text);
    expect(hostMoment(instant, zone)).toEqual({ date, time });
    expect(instantOf({ date, time }, zone)).toEqual(instant);
  });

  test.each([
    ['0000-12-31T23:59:59Z', 'UTC'],
    ['0001-01-01T05:50:35Z', 'America/Chicago'],
    ['0000-06-01T00:00:00Z', 'America/Chicago'],
    ['9999-12-31T23:59:59Z', 'Europe/Berlin'],
  ])('%s in %s has no year there, and is zeros', (text, zone) => {
    expect(hostMoment(new Date(text), zone)).toEqual({ date: '0', time: '0' });
  });

  test('the year 0 is no moment of the host', () => {
    expect(instantOf({ date: '1231', time: '0' }, 'UTC')).toBeUndefined();
  });
});
