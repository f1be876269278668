import { readFileSync } from 'node:fs';
import { clientFrame, closeCodes, mutation, pushFrame, serverFrame } from '@tailgate/sync-protocol';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import schema from '@asyncapi/specs/schemas/3.0.0-without-$id.json' with { type: 'json' };
import manifest from '../../server/package.json' with { type: 'json' };
import { channelDocument } from '../../server/src/sync/asyncapi/document.ts';
import { syncLimits } from '../../server/src/sync/limits.ts';
import { readText } from '../house/source-file.ts';

const committed = readFileSync(new URL('../../docs/asyncapi.json', import.meta.url), 'utf8');
const generated = channelDocument(manifest.version);

const reference = z.object({ $ref: z.string() });
const message = z.object({
  name: z.string(),
  summary: z.string().check(z.minLength(10)),
  payload: z.object({ properties: z.record(z.string(), z.object({ description: z.string().check(z.minLength(5)) })) }),
  examples: z.array(z.object({ name: z.string(), payload: z.record(z.string(), z.unknown()) })).check(z.minLength(1)),
});
const document = z
  .object({
    channels: z.object({
      sync: z.object({
        messages: z.record(z.string(), reference),
        'x-limits': z.array(z.object({ name: z.string(), value: z.number() })),
        'x-close-codes': z.array(z.object({ code: z.number(), name: z.string(), description: z.string() })),
      }),
    }),
    operations: z.record(
      z.string(),
      z.object({ messages: z.array(reference), reply: z.optional(z.object({ messages: z.array(reference) })) }),
    ),
    components: z.object({ messages: z.record(z.string(), message), schemas: z.record(z.string(), z.unknown()) }),
  })
  .parse(JSON.parse(committed));
const { components, operations } = document;
const { sync } = document.channels;
const messages = Object.entries(components.messages);

/** Every reference in a value. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    name === '$ref' && typeof each === 'string' ? [each] : referencesIn(each),
  );
}

/** The part that a reference within the document names; undefined where it names nothing. */
function resolve($ref: string, within: unknown): unknown {
  return $ref
    .replace(/^#\//, '')
    .split('/')
    .reduce(
      (at: unknown, name) => (at instanceof Object ? Object.getOwnPropertyDescriptor(at, name)?.value : undefined),
      within,
    );
}

describe('docs/asyncapi.json', () => {
  test('is the output of the code (else: npm run openapi)', () => {
    expect(committed === `${JSON.stringify(generated, null, 2)}\n`, 'run npm run openapi and commit').toBe(true);
  });

  test('fits the schema of AsyncAPI 3', () => {
    const ajv = new Ajv({ strict: false, allErrors: true });
    addFormats.default(ajv);
    const isValid = ajv.compile(schema);
    expect([isValid(JSON.parse(committed)), isValid.errors]).toEqual([true, null]);
    expect(isValid({ ...generated, channels: { sync: { adress: '/api/sync' } } })).toBe(false);
  });

  test('has no reference to nothing', () => {
    const whole: unknown = JSON.parse(committed);
    const references = referencesIn(whole);
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter(($ref) => resolve($ref, whole) === undefined)).toEqual([]);
  });

  test('lists every frame of both directions, each in an operation or an answer', () => {
    const typesOf = (side: string, options: readonly { shape: { type: { def: { values: readonly string[] } } } }[]) =>
      options.flatMap(({ shape }) => shape.type.def.values.map((type) => `${side}.${type}`));
    const all = [...typesOf('phone', clientFrame.def.options), ...typesOf('server', serverFrame.def.options)];
    expect(messages.map(([id]) => id)).toEqual(all);
    expect(Object.keys(sync.messages)).toEqual(all);
    const used = Object.values(operations).flatMap(({ messages: sent, reply }) => [
      ...sent,
      ...(reply?.messages ?? []),
    ]);
    const names = new Set(used.map(({ $ref }) => $ref.replace('#/channels/sync/messages/', '')));
    expect(all.filter((id) => !names.has(id))).toEqual([]);
  });

  test('has the limits and the close codes of the code and of protocol.md', () => {
    expect(
      sync['x-limits'].filter(({ name, value }) =>
        Object.entries(syncLimits).some(([known, is]) => known === name && is === value),
      ),
    ).toEqual(sync['x-limits']);
    const own = sync['x-close-codes'].filter(({ name }) => name in closeCodes);
    expect(Object.fromEntries(own.map(({ name, code }) => [name, code]))).toEqual(closeCodes);
    const page = readText('docs/protocol.md');
    for (const { code, description } of sync['x-close-codes']) {
      expect(page).toContain(String(code));
      expect(description).not.toBe('');
    }
    expect(
      [...page.matchAll(/^\| (\d{4}) \|/gm)]
        .map(([, code]) => Number(code))
        .filter((code) => !sync['x-close-codes'].some((known) => known.code === code)),
    ).toEqual([]);
  });
});

describe('the examples', () => {
  const examples = messages.flatMap(([id, { payload, examples: all }]) =>
    all.map((example) => ({ id, schema: payload, ...example, title: `${id} ${example.name}` })),
  );

  test.each(examples)('$title is a frame, and fits its schema in the document', ({ id, payload }) => {
    const frame = id.startsWith('phone.') ? clientFrame : serverFrame;
    expect(frame.safeParse(payload)).toMatchObject({ success: true });
    expect(`${id.split('.')[0]}.${String(payload['type'])}`).toBe(id);
    for (const item of pushFrame.safeParse(payload).data?.mutations ?? [])
      expect(mutation.safeParse(item)).toMatchObject({ success: true });
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ ...generated, $id: 'channel' });
    const isValid = ajv.compile({ $ref: `channel#/components/messages/${id}/payload` });
    expect([isValid(payload), isValid.errors]).toEqual([true, null]);
    expect(isValid({ ...payload, type: 'other' })).toBe(false);
  });

  test('a sealed item of an example fits the arguments that the document names', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false });
    ajv.addSchema({ ...generated, $id: 'channel' });
    const isArgs = ajv.compile({ $ref: 'channel#/components/schemas/args.stop.update.1' });
    const pushed = z
      .object({ mutations: z.array(z.object({ args: z.unknown() })) })
      .parse(components.messages['phone.push']?.examples[0]?.payload);
    expect(pushed.mutations.map(({ args }) => isArgs(args))).toEqual([true]);
    expect(isArgs({ route: {}, stop: {} })).toBe(false);
  });
});
