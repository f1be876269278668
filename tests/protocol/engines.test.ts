import * as z from 'zod/mini';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isDay } from '../../sync-protocol/src/schema/days.ts';
import { keyText, text } from '../../sync-protocol/src/schema/values.ts';

// The protocol runs in the phone's engine: Hermes, the engine of React Native, differs from those of Node and browsers.

afterEach(() => vi.unstubAllGlobals());

/** Parses a date as Hermes does: excess of one unit carries over into the next. */
class CountingDate extends Date {
  constructor(words: string) {
    const [year = 0, month = 0, day = 0] = words.slice(0, 10).split('-').map(Number);
    super(Date.UTC(year, month - 1, day));
  }
}

describe.each([
  ['this engine', Date],
  ['an engine that carries over', CountingDate],
])('the check for real days, by %s', (_engine, engine) => {
  const there = ['2026-11-21', '2024-02-29', '2000-02-29', '2026-01-31', '2026-12-31', '2026-12-01'];
  const nowhere = ['2026-13-05', '2026-00-05', '2026-99-05', '2026-02-29', '1900-02-29', '2026-04-31', '2026-01-00'];

  it('works in engines without a function for it, such as Hermes', () => {
    vi.stubGlobal('Date', engine);
    expect([...there, ...nowhere].filter(isDay)).toEqual(there);
  });
});

describe('the check for well-formed text', () => {
  afterEach(() => vi.restoreAllMocks());

  it('works in engines without a function for it, such as Hermes', () => {
    const good = ['', 'Brötchen', '破損', '😀', '\u{10ffff}'];
    const bad = ['\0', '\ud800', 'a\udfff', '\ude00\ud83d', '\ud83d😀', '😀\ude00'];
    vi.spyOn(String.prototype, 'isWellFormed').mockImplementation(() => {
      throw new TypeError('undefined is not a function');
    });
    for (const schema of [text(9), keyText(9)])
      expect([...good, ...bad].filter((words) => z.safeParse(schema, words).success)).toEqual(good);
    expect(z.safeParse(text(9), 'a\tb').success).toBe(true);
    expect(z.safeParse(keyText(9), 'a\tb').success).toBe(false);
  });
});
