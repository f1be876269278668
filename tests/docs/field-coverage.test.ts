import { describe, expect, test } from 'vitest';
import { readText } from '../house/source-file.ts';
import type { Covering } from './covering.ts';
import { coverage } from './field-coverage.ts';
import type { Field, Payload } from './payload-fields.ts';
import { payloads } from './payload-fields.ts';

const every = payloads();

const covers = ({ fields }: Covering, { path }: Field): boolean => fields.some((start) => path.startsWith(start));
const coveringOf = ({ name }: Payload): readonly Covering[] => coverage[name] ?? [];

describe('the field table', () => {
  test('every field of the operations table has a test', () => {
    const without = every.flatMap((payload) =>
      payload.fields
        .filter((field) => !coveringOf(payload).some((covering) => covers(covering, field)))
        .map(({ path }) => `${payload.name}: ${path}`),
    );
    expect(every.length).toBeGreaterThan(40);
    expect(without).toEqual([]);
  });

  test('every listed test exists, and covers an existing field', () => {
    const missing = Object.entries(coverage).flatMap(([name, coverings]) => {
      const payload = every.find((each) => each.name === name);
      if (!payload) return [`${name} is no payload`];
      return coverings.flatMap((covering) => {
        const { file, title } = covering;
        if (!readText(`tests/${file}`).includes(title)) return [`${name}: ${file} has no "${title}"`];
        return payload.fields.some((field) => covers(covering, field)) ? [] : [`${name}: "${title}" covers no field`];
      });
    });
    expect(missing).toEqual([]);
  });
});
