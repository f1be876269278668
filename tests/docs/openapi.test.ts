import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { nothing, pathSets } from '@tailgate/sync-protocol';
import { operations } from '../../server/src/http/operations.ts';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import manifest from '../../server/package.json' with { type: 'json' };
import { restDocument } from '../../server/src/http/operations.ts';
import type { Examples } from '../../server/src/http/openapi/example.ts';
import recorded from '../../server/src/http/openapi/examples.json' with { type: 'json' };
import { undocumented, undocumentedBody } from '../support/documented.ts';

const committed = readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8');
const generated = restDocument(manifest.version);

const operationObject = z.object({
  operationId: z.string(),
  summary: z.string(),
  parameters: z.optional(z.array(z.object({ name: z.optional(z.string()), description: z.optional(z.string()) }))),
});
const { paths } = z
  .object({ paths: z.record(z.string(), z.record(z.string(), operationObject)) })
  .parse(JSON.parse(committed));
const listed = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ place: `${method.toUpperCase()} ${path}`, ...operation })),
);

describe('docs/openapi.json', () => {
  test('is the output of the code (else: npm run openapi)', () => {
    expect(committed === `${JSON.stringify(generated, null, 2)}\n`, 'run npm run openapi and commit').toBe(true);
  });

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...generated })).toEqual({ valid: true });
    expect(validator.version).toBe('3.1');
  });

  test('lists every operation on exactly its path sets', () => {
    const mounted = Object.values(operations).flatMap(({ method, path, sets, answers }) =>
      (answers === 'file' ? [method, 'HEAD'] : [method]).flatMap((verb) =>
        sets.map((set) => `${verb} ${pathSets[set]}${path.replaceAll(/:(\w+)/g, '{$1}')}`),
      ),
    );
    expect(listed.map(({ place }) => place).sort()).toEqual(mounted.sort());
    expect(new Set(listed.map(({ operationId }) => operationId)).size).toBe(listed.length);
  });

  test('explains every field and every parameter', () => {
    expect(unexplained(JSON.parse(committed), '#')).toEqual([]);
    const silent = listed.flatMap(({ place, parameters = [] }) =>
      parameters.filter(({ name, description }) => name !== undefined && !description).map(({ name }) => [place, name]),
    );
    expect(silent).toEqual([]);
  });
});

describe('examples', () => {
  const examples: Examples = recorded;

  test.each(Object.entries(operations))('%s has one that fits its request and response', (name, operation) => {
    const example = examples[name];
    if (!example) throw new Error(`record one: npm run openapi:record`);
    const { method, path, sets, form, body, answers } = operation;
    operation.params.parse(example.params);
    operation.query.parse(example.query ?? {});
    if (!form) body.parse(example.body);
    for (const set of sets) {
      const url = pathSets[set] + path.replaceAll(/:(\w+)/g, (_, param: string) => example.params?.[param] ?? '');
      expect(undocumentedBody(method, url, example.body)).toEqual([]);
      if (answers !== undefined) continue;
      expect(example.answer).toBeDefined();
      expect(undocumented({ method, url, status: 200, headers: ordinary, body: example.answer })).toEqual([]);
    }
    expect(example.body === undefined, 'a body is shown where one is read').toBe(!form && body === nothing);
  });

  test('the example of a stop has a mail with its proof', () => {
    const { data } = operations.readOpsStop;
    expect(z.object({ data }).parse(examples['readOpsStop']?.answer).data.proofs).toHaveLength(1);
  });

  test('no example belongs to a removed operation', () => {
    expect(Object.keys(examples).sort()).toEqual(Object.keys(operations).sort());
  });
});

const ordinary = new Headers({ 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'x', etag: '"x"' });

/** Every object's properties without a description; those of the envelope are explained once, at the beginning. */
function unexplained(part: unknown, place: string): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
    const here = `${place}/${name}`;
    if (name === 'example' || name === 'examples') return [];
    if (name !== 'properties') return unexplained(value, here);
    const silent = Object.entries(z.record(z.string(), z.looseObject({})).parse(value))
      .filter(([property, schema]) => !schema['description'] && !envelope.includes(property))
      .map(([property]) => `${here}/${property}`);
    return [...silent, ...unexplained(value, here)];
  });
}
const envelope = ['success', 'data', 'error'];
