import { afterEach, describe, expect, it, vi } from 'vitest';
import { isDay } from '../../sync-protocol/src/days.ts';

/** Reads a date as React Native's engine does: what is too much of one unit counts on into the next. */
class CountingDate extends Date {
  constructor(text: string) {
    const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
    super(Date.UTC(year, month - 1, day));
  }
}

afterEach(() => vi.unstubAllGlobals());

describe.each([
  ['this engine', Date],
  ['an engine that counts on', CountingDate],
])('a day, by %s', (_engine, engine) => {
  it.each(['2026-11-21', '2024-02-29', '2000-02-29', '2026-01-31', '2026-12-31', '2026-12-01'])('%s exists', (day) => {
    vi.stubGlobal('Date', engine);
    expect(isDay(day)).toBe(true);
  });

  it.each([
    '2026-13-05',
    '2026-00-05',
    '2026-99-05',
    '2026-02-29',
    '1900-02-29',
    '2026-04-31',
    '2026-01-00',
    '2026-01-32',
  ])('%s does not', (day) => {
    vi.stubGlobal('Date', engine);
    expect(isDay(day)).toBe(false);
  });
});
