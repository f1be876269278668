import { fileURLToPath } from 'node:url';
import * as protocol from '@tailgate/sync-protocol';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { $ZodType, safeParse } from 'zod/v4/core';
import * as z from 'zod/mini';
import { corrupted, valuesOf } from '../support/fuzz/json-values.ts';

// Node reads the protocol's schemas with zod, a phone with `light-schema.ts`. Both accept the same values and return
// the same results. Of a refused value zod reports every issue, the phone the first one of each value.

const issue = z.looseObject({
  path: z.array(z.union([z.string(), z.number()])),
  message: z.string(),
});
const parsed = z.union([
  z.object({ success: z.literal(true), data: z.unknown() }),
  z.object({ success: z.literal(false), error: z.object({ issues: z.array(issue) }) }),
]);
type Parsed = z.infer<typeof parsed>;

const schemas = Object.entries(protocol).filter(
  (entry): entry is [string, Extract<(typeof entry)[1], $ZodType>] => entry[1] instanceof $ZodType,
);
const light = await lightProtocol();

const accepted = (answer: Parsed) => ('data' in answer ? { data: answer.data } : 'refused');

/** The caller's words for an issue of a schema without words. Other codes differ: the phone reports 'custom'. */
const options = {
  error: ({ code }: { readonly code: string }) => (wordedCodes.has(code) ? `words for ${code}` : 'other words'),
};
const wordedCodes = new Set(['invalid_type', 'invalid_value', 'too_big', 'too_small']);

/** The part of an issue that a driver's screen shows; issues of a union's branches and of keys exist in zod only. */
const shownIssues = (answer: Parsed) =>
  'data' in answer
    ? []
    : answer.error.issues.map(({ path, message, expected, values, maximum, minimum, origin }) => ({
        ...{ path, message, expected, values, maximum, minimum },
        origin: maximum === undefined && minimum === undefined ? undefined : origin === 'int' ? 'number' : origin,
      }));

describe('a phone reads the same as the server', () => {
  test.each(schemas)('%s', (name, schema) => {
    const values = valuesOf(schema, words);
    const read = light(name);
    const agrees = (value: unknown) => {
      const [ours, zods] = [read(value), parsed.parse(safeParse(schema, value, options))];
      expect(accepted(ours)).toStrictEqual(accepted(zods));
      // Documents keep the order of their keys: canonical text is made from it.
      expect(JSON.stringify(accepted(ours))).toBe(JSON.stringify(accepted(zods)));
      expect(shownIssues(zods)).toStrictEqual(expect.arrayContaining(shownIssues(ours)));
    };
    fc.assert(fc.property(fc.oneof(values, corrupted(values)), agrees), { numRuns: 60 });
  });

  test('the protocol exports schemas to compare', () => {
    expect(schemas.length).toBeGreaterThan(50);
  });

  test('Node uses zod', () => {
    expect(protocol.stopObject).toBeInstanceOf($ZodType);
  });
});

/** So that some values pass the checks that only code can express. */
const words = {
  week_end: ['20261128', '20260229'],
  captured_at: [
    '2026-11-21T10:00:00+01:00',
    '2026-11-21T10:00Z',
    '2024-02-29T23:59:59.123456Z',
    '0000-01-01T00:00:00Z',
  ],
  start_delivery_time: ['2026-11-21T10:00:00,5-06', '2026-02-30T10:00:00Z', ''],
  delivery_latitude: ['45.1234567', -90, '91', 'north'],
  osd_code: [5, '05', '1234', 1.5, 2 ** 60],
  images_id: ['AAAAAAAAAAAAAAAA', '', 'short'],
  id: [1, 999, '12', 'ITEM1'],
};

/** The protocol as a browser's bundler resolves it. */
async function lightProtocol(): Promise<(name: string) => (value: unknown) => Parsed> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('../../sync-protocol/src/index.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['source'],
    write: false,
  });
  const code = outputFiles[0]?.text ?? '';
  expect(code).not.toContain('zod');
  const loaded: unknown = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
  const modules = z.record(z.string(), z.unknown()).parse({ ...Object(loaded) });
  return (name) => {
    const member = z.object({
      safeParse: z.custom<(value: unknown, asked: typeof options) => unknown>((each) => typeof each === 'function'),
    });
    const { safeParse: read } = member.parse(modules[name]);
    return (value) => parsed.parse(read(value, options));
  };
}
