import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';

// The use of docs/openapi.json in client generators: each of these faults once forced users to cast.

const document: unknown = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'));
const schema = z.looseObject({ type: z.optional(z.unknown()), required: z.optional(z.array(z.string())) });
const parameter = z.object({ name: z.string(), in: z.string(), schema });
const answer = z.object({ schema: z.looseObject({ required: z.array(z.string()), properties: z.looseObject({}) }) });

describe('a client that is generated from it', () => {
  test('takes numbers in queries with numbers', () => {
    const numbers = found(document, parameter).filter(({ in: place, name }) => {
      return place === 'query' && ['limit', 'minRating', 'maxRating', 'silent_minutes'].includes(name);
    });
    expect(numbers.length).toBeGreaterThan(8);
    expect(numbers.filter((each) => each.schema.type !== 'integer')).toEqual([]);
  });

  test('may omit fields with a default', () => {
    const members = found(document, z.looseObject({ properties: z.record(z.string(), z.looseObject({})) }));
    const defaulted = members.flatMap(({ properties }) =>
      Object.entries(properties).filter(([, member]) => 'default' in member),
    );
    expect(members.length).toBeGreaterThan(50);
    expect(defaulted).toEqual([]);
  });

  test('gets the place of the next page in every list', () => {
    const withMeta = found(document, answer).filter((each) => 'meta' in each.schema.properties);
    expect(withMeta.length).toBeGreaterThan(8);
    expect(withMeta.filter((each) => !each.schema.required.includes('meta'))).toEqual([]);
  });
});

/** Every part of a document, at any depth, with this form. */
function found<Form>(part: unknown, form: z.ZodMiniType<Form>): Form[] {
  if (typeof part !== 'object' || part === null) return [];
  const { success, data } = form.safeParse(part);
  return [...(success ? [data] : []), ...Object.values(part).flatMap((each) => found(each, form))];
}
