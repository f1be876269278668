import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientFrame, closeCodes, mutation, mutationNames, pushFrame, serverFrame } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import { syncLimits } from '../../server/src/sync/limits.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/protocol.md'), 'utf8');
const section = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
/** First cells of a section's tables that are code. */
const named = (text: string): string[] => [...text.matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1] ?? '');

describe('docs/protocol.md', () => {
  const lines = [...page.matchAll(/^([»«]) (\{.*\})$/gm)].map(([, speaker, text = '']) => ({ speaker, text }));

  test.each(lines)('what is said is a frame: $speaker $text', ({ speaker, text }) => {
    const frame: unknown = JSON.parse(text);
    expect((speaker === '«' ? serverFrame : clientFrame).safeParse(frame)).toMatchObject({ success: true });
    const pushed = pushFrame.safeParse(frame).data?.mutations ?? [];
    for (const item of pushed) expect(mutation.safeParse(item)).toMatchObject({ success: true });
  });

  test('holds a conversation', () => {
    expect(lines.length).toBeGreaterThan(8);
  });

  test('names every frame, in both directions', () => {
    const [ofPhone = '', ofServer = ''] = section('Frames').split('From the server:');
    expect(named(ofPhone)).toEqual(clientFrame.def.options.map((option) => [...option.shape.type.def.values].join('')));
    expect(named(ofServer)).toEqual(
      serverFrame.def.options.map((option) => [...option.shape.type.def.values].join('')),
    );
  });

  test('names every mutation', () => {
    expect(named(section('The queue'))).toEqual(mutationNames);
  });

  test('names every close code', () => {
    const rows = [...section('Limits').matchAll(/^\| (\d{4}) \| `(\w+)`/gm)].map((match) => [
      match[2],
      Number(match[1]),
    ]);
    expect(Object.fromEntries(rows)).toEqual(closeCodes);
  });

  test('tells the limits as they are', () => {
    const { frame_bytes, mutations_per_push, pushes_in_flight, ping_ms } = syncLimits;
    const rows = [...section('Limits').matchAll(/^\| `(\w+)` +\| (\d+)/gm)].map((match) => [
      match[1],
      Number(match[2]),
    ]);
    expect(Object.fromEntries(rows)).toEqual({ frame_bytes, mutations_per_push, pushes_in_flight, ping_ms });
    expect(page).toContain(`hello must come within ${syncLimits.hello_ms / 1_000} s`);
    expect(page).toContain(`at most ${syncLimits.scopes} scopes`);
    expect(page).toContain(`Nothing was read for ${syncLimits.slow_reader_ms / 1_000} s`);
  });
});
