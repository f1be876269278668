import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';

// What generators of clients make of docs/openapi.json: each of these once cost the users of one a cast.

const document: unknown = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
const schema = z.looseObject({ type: z.optional(z.unknown()), required: z.optional(z.array(z.string())) });
const parameter = z.object({ name: z.string(), in: z.string(), schema });
const answer = z.object({ schema: z.looseObject({ required: z.array(z.string()), properties: z.looseObject({}) }) });

describe('a client that is generated from it', () => {
  test('asks with numbers where a query holds numbers', () => {
    const numbers = found(document, parameter).filter(({ in: place, name }) => {
      return place === 'query' && ['limit', 'minRating', 'maxRating', 'silent_minutes'].includes(name);
    });
    expect(numbers.length).toBeGreaterThan(8);
    expect(numbers.filter((each) => each.schema.type !== 'integer')).toEqual([]);
  });

  test('may leave out what has a default', () => {
    const members = found(document, z.looseObject({ properties: z.record(z.string(), z.looseObject({})) }));
    const defaulted = members.flatMap(({ properties }) =>
      Object.entries(properties).filter(([, member]) => 'default' in member),
    );
    expect(members.length).toBeGreaterThan(50);
    expect(defaulted).toEqual([]);
  });

  test('need not ask whether a list says where its next page begins', () => {
    const withMeta = found(document, answer).filter((each) => 'meta' in each.schema.properties);
    expect(withMeta.length).toBeGreaterThan(8);
    expect(withMeta.filter((each) => !each.schema.required.includes('meta'))).toEqual([]);
  });
});

/** Every part of a document, however deep, that is of this form. */
function found<Form>(part: unknown, form: z.ZodMiniType<Form>): Form[] {
  if (typeof part !== 'object' || part === null) return [];
  const { success, data } = form.safeParse(part);
  return [...(success ? [data] : []), ...Object.values(part).flatMap((each) => found(each, form))];
}
