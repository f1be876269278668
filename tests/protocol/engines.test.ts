import * as z from 'zod/mini';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isDay } from '../../sync-protocol/src/schema/days.ts';
import { keyText, text } from '../../sync-protocol/src/schema/values.ts';

// A phone reads with the engine that it has: Hermes, React Native's, is another one than Node's and the browsers'.

afterEach(() => vi.unstubAllGlobals());

/** Reads a date as Hermes does: what is too much of one unit counts on into the next. */
class CountingDate extends Date {
  constructor(words: string) {
    const [year = 0, month = 0, day = 0] = words.slice(0, 10).split('-').map(Number);
    super(Date.UTC(year, month - 1, day));
  }
}

describe.each([
  ['this engine', Date],
  ['an engine that counts on', CountingDate],
])('a day, by %s', (_engine, engine) => {
  const there = ['2026-11-21', '2024-02-29', '2000-02-29', '2026-01-31', '2026-12-31', '2026-12-01'];
  const nowhere = ['2026-13-05', '2026-00-05', '2026-99-05', '2026-02-29', '1900-02-29', '2026-04-31', '2026-01-00'];

  it('exists or does not', () => {
    vi.stubGlobal('Date', engine);
    expect([...there, ...nowhere].filter(isDay)).toEqual(there);
  });
});

describe('text', () => {
  afterEach(() => vi.restoreAllMocks());

  it('is well-formed or not where the engine has no word for that, as Hermes has none', () => {
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
