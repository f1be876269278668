import { yyyymmdd } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import type { Described } from './described.ts';

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Keywords for checks that a schema does by code. */
const hints = new Map<z.core.$ZodType, JsonSchema>([[yyyymmdd, { pattern: '^\\d{8}$' }]]);

/** Whether a schema describes a request or an answer. */
export type Direction = 'input' | 'output';

/** Writes zod schemas as JSON Schemas. Described schemas become components with references. */
export class SchemaWriter {
  readonly #described: ReadonlyMap<z.core.$ZodType, Described>;
  readonly #names = z.registry<{ id: string }>();
  readonly #components = new Map<string, JsonSchema>();

  constructor(all: readonly Described[]) {
    this.#described = new Map(all.map((each) => [each.schema, each]));
    for (const { schema, name } of all) this.#names.add(schema, { id: name });
  }

  /** Every component that has a reference, by name. */
  get components(): Record<string, JsonSchema> {
    const names = [...this.#components.keys()].sort();
    return Object.fromEntries(names.map((name) => [name, this.#components.get(name) ?? {}]));
  }

  write(schema: z.core.$ZodType, io: Direction): JsonSchema {
    // zod never makes the outermost schema a reference, hence the wrapper.
    const { properties = {}, $defs = {} } = z.toJSONSchema(z.object({ schema }), {
      io,
      metadata: this.#names,
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => void Object.assign(jsonSchema, hints.get(zodSchema)),
    });
    for (const [name, component] of Object.entries($defs)) this.#addComponent(name, component);
    return normalize(properties['schema']);
  }

  /** The fields of a path or a query, each by itself. */
  writeFields(
    schema: z.core.$ZodObject,
  ): { name: string; required: boolean; description: string; schema: JsonSchema }[] {
    const words = this.#described.get(schema);
    return Object.entries(schema._zod.def.shape).map(([name, field]) => ({
      name,
      required: field._zod.optin === undefined,
      description: words?.fields[name] ?? '',
      schema: this.#writeField(field),
    }));
  }

  /** All fields are text on the wire. A field that is read as a whole number is shown as one, for generated clients. */
  #writeField(field: z.core.$ZodType): JsonSchema {
    const read = this.write(field, 'output');
    return read['type'] === 'integer' ? read : this.write(field, 'input');
  }

  #addComponent(name: string, component: unknown): void {
    if (isAnyJson(name)) return;
    const words = [...this.#described.values()].find((each) => each.name === name);
    const { id: _id, properties, ...rest } = normalize(component);
    const fields = Object.entries(isObject(properties) ? properties : {}).map(([field, schema]) => [
      field,
      { ...(isObject(schema) && schema), description: words?.fields[field] },
    ]);
    const written: JsonSchema = { description: words?.about, ...rest, properties: Object.fromEntries(fields) };
    const known = this.#components.get(name);
    if (known && JSON.stringify(known) !== JSON.stringify(written))
      throw new Error(`${name} means two things: give what is sent and what is answered two names`);
    this.#components.set(name, written);
  }
}

/** zod's name for `z.json()`, which refers to itself. The document writes it as any JSON. */
const isAnyJson = (name: string): boolean => name.startsWith('__schema');

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The same schema, shorter and open: a client that validates answers must accept later fields. */
function normalize(schema: unknown): JsonSchema {
  if (!isObject(schema)) return {};
  const { $ref, anyOf, ...rest } = schema;
  if (typeof $ref === 'string') {
    const name = $ref.replace('#/$defs/', '');
    return isAnyJson(name) ? {} : { ...rest, $ref: `#/components/schemas/${name}` };
  }
  const entries = Object.entries(rest).flatMap(([keyword, value]): [string, unknown][] => {
    if (keyword === 'propertyNames' || (keyword === 'additionalProperties' && value === false)) return [];
    // The bounds of a safe integer carry no information.
    if (typeof value === 'number' && Math.abs(value) === Number.MAX_SAFE_INTEGER) return [];
    // The format already covers zod's long pattern for instants.
    if (keyword === 'pattern' && rest['format'] === 'date-time') return [];
    if (keyword === 'properties' && isObject(value))
      return [
        [keyword, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, normalizeMember(each)]))],
      ];
    if (keyword === 'items' || keyword === 'additionalProperties') return [[keyword, normalize(value)]];
    return [[keyword, value]];
  });
  const plain: JsonSchema = Object.fromEntries(entries);
  return Array.isArray(anyOf) ? { ...plain, ...anyOfSchemas(anyOf) } : plain;
}

/**
 * A member without its default. A default marks an optional field, and client generators take such a field for a
 * required one.
 */
function normalizeMember(schema: unknown): JsonSchema {
  const { default: _otherwise, ...rest } = normalize(schema);
  return rest;
}

/** Flattens nested alternatives, and writes "or null" as a second type where possible. */
function anyOfSchemas(alternatives: readonly unknown[]): JsonSchema {
  const flat = alternatives.flatMap((each) => {
    const { anyOf, ...one } = normalize(each);
    return Array.isArray(anyOf) ? anyOf.filter(isObject) : [one];
  });
  const [first, second] = flat;
  const nullable = flat.length === 2 && second?.['type'] === 'null';
  if (!nullable || typeof first?.['type'] !== 'string') return { anyOf: flat };
  const { enum: members, ...rest } = first;
  const withNull: unknown = Array.isArray(members) ? members.concat(null) : undefined;
  return { ...rest, type: [first['type'], 'null'], ...(withNull !== undefined && { enum: withNull }) };
}
