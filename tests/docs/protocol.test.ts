import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  addToChecksum,
  clientFrame,
  closeCodes,
  contentText,
  errorCodes,
  feedDocuments,
  linkText,
  mutation,
  mutationNames,
  pushFrame,
  serverFrame,
} from '@tailgate/sync-protocol';
import type { PatchFrame, WarningCode } from '@tailgate/sync-protocol';
import { describe, expect, test } from 'vitest';
import type { QuarantineCode } from '../../server/src/mutations/change.ts';
import { base64Sha } from '../support/sealing.ts';
import { syncLimits } from '../../server/src/sync/limits.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/protocol.md'), 'utf8');
const section = (title: string): string => page.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
/** First cells of a section's tables that are code. */
const named = (text: string): string[] => [...text.matchAll(/^\| `([^`]+)`/gm)].map((match) => match[1] ?? '');

describe('docs/protocol.md', () => {
  const lines = [...page.matchAll(/^([»«]) (\{.*\})$/gm)].map(([, speaker, text = '']) => ({ speaker, text }));

  test.each(lines)('each message is a frame: $speaker $text', ({ speaker, text }) => {
    const frame: unknown = JSON.parse(text);
    expect((speaker === '«' ? serverFrame : clientFrame).safeParse(frame)).toMatchObject({ success: true });
    const pushed = pushFrame.safeParse(frame).data?.mutations ?? [];
    for (const item of pushed) expect(mutation.safeParse(item)).toMatchObject({ success: true });
  });

  test('contains a conversation', () => {
    expect(lines.length).toBeGreaterThan(8);
  });

  test('the documents and checksums of the conversation are real', () => {
    const patches = lines.flatMap(({ speaker, text }) => {
      const frame = speaker === '«' ? serverFrame.parse(JSON.parse(text)) : undefined;
      return frame?.type === 'patch' ? [frame] : [];
    });
    for (const { key, value } of patches.flatMap(({ docs }) => docs)) {
      const kind = Object.entries(feedDocuments).find(([name]) => name === key.split('/')[0]);
      expect(kind?.[1].safeParse(value)).toMatchObject({ success: true });
    }
    const held = new Map<string, number>();
    for (const { scope, from, docs, checksum } of patches) {
      // For the first patch of a non-empty replica only the sum afterwards is known.
      const before = from === null ? 0 : held.get(scope);
      expect(before === undefined ? checksum : sumOf(docs, before)).toBe(checksum);
      held.set(scope, checksum);
    }
  });

  test('the conversation’s item is sealed by the page’s rules, with its hash and link', () => {
    const [pushed] = lines.flatMap(({ text }) => pushFrame.safeParse(JSON.parse(text)).data?.mutations ?? []);
    const item = mutation.parse(pushed);
    const hash = base64Sha(contentText(item));
    const told = /^content (\{.*)\nhash +(.*)\nlink +(.*)$/m.exec(section('Sealing'))?.slice(1);
    expect(told).toEqual([contentText(item), hash, base64Sha(linkText(hash, item.prev_hash, item.seq))]);
  });

  test('names every document, every code of the channel and every warning', () => {
    expect(named(section('Documents')).map((key) => key.split('/')[0])).toEqual(Object.keys(feedDocuments));
    const [codes = '', told = ''] = section('Codes').split('Warnings of a result');
    expect(Object.keys(errorCodes)).toEqual(expect.arrayContaining(named(codes)));
    expect(named(codes)).toEqual(expect.arrayContaining(Object.keys(kept)));
    expect(new Set(named(told))).toEqual(new Set(Object.keys(warnings)));
  });

  test('names every frame, in both directions', () => {
    const [ofPhone = '', ofServer = ''] = section('Frames').split('From the server:');
    expect(named(ofPhone)).toEqual(clientFrame.def.options.map((option) => [...option.shape.type.def.values].join('')));
    // In reading order; the page lists the codes that phones handle separately.
    expect(named(ofServer).toSorted()).toEqual(
      serverFrame.def.options.map((option) => [...option.shape.type.def.values].join('')).toSorted(),
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

  test('contains the current limits', () => {
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

/** Documents that appear for the first time. */
const sumOf = (docs: PatchFrame['docs'], before: number): number =>
  docs.reduce((sum, { key, version }) => addToChecksum(sum, key, version), before);

// The compiler refuses an incomplete list.
const kept = {
  VALIDATION_FAILED: 0,
  UNKNOWN_MUTATION: 0,
  ROUTE_NOT_FOUND: 0,
  STOP_NOT_FOUND: 0,
  NOT_ASSIGNED: 0,
  CLIENT_REVOKED: 0,
  ID_REUSED: 0,
  INTERNAL: 0,
} satisfies Record<QuarantineCode, 0>;
const warnings = {
  superseded: 0,
  status_ignored: 0,
  amended: 0,
  after_close: 0,
  over_delivered: 0,
  unknown_product: 0,
  unknown_code: 0,
  ambiguous_line: 0,
  unreadable_time: 0,
  overage_code: 0,
  invalid_email: 0,
  no_longer_assigned: 0,
  chain_broken: 0,
  after_sign_out: 0,
  plan_changed: 0,
  route_withdrawn: 0,
  stop_removed: 0,
  too_many_lines: 0,
} satisfies Record<WarningCode, 0>;
