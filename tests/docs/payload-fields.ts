import { pathSets } from '@tailgate/sync-protocol';
import { operations } from '../../server/src/http/operations.ts';
import * as z from 'zod/mini';

// Every field of every payload of the operations table, from the schemas.

/** A field of a payload; `path` is dotted, `[]` means each item of a list. */
export interface Field {
  readonly path: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly required: boolean;
}

export interface Payload {
  /** `syncStops body`: the operation and the part of it. */
  readonly name: string;
  /** `PUT /api/v20/route/stop, PUT /api/route/stop`. */
  readonly calls: readonly string[];
  readonly part: (typeof parts)[number];
  readonly fields: readonly Field[];
}

const parts = ['params', 'query', 'body', 'form', 'data', 'meta'] as const;
const answered: readonly string[] = ['data', 'meta'];

const jsonSchema = z.object({
  type: z.optional(z.union([z.string(), z.array(z.string())])),
  format: z.optional(z.string()),
  enum: z.optional(z.array(z.unknown())),
  const: z.optional(z.union([z.string(), z.number(), z.boolean()])),
  maxLength: z.optional(z.number()),
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  required: z.optional(z.array(z.string())),
  properties: z.optional(z.record(z.string(), z.unknown())),
  items: z.optional(z.unknown()),
  anyOf: z.optional(z.array(z.unknown())),
  additionalProperties: z.optional(z.unknown()),
  $ref: z.optional(z.string()),
});
type JsonSchema = z.infer<typeof jsonSchema>;

export function payloads(): Payload[] {
  return Object.entries(operations).flatMap(([name, operation]) =>
    parts.flatMap((part): Payload[] => {
      const schema: z.ZodMiniType | undefined = Reflect.get(operation, part);
      if (!schema) return [];
      const io = answered.includes(part) ? 'output' : 'input';
      const written = jsonSchema.parse(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
      const fields = [...fieldsOf(written, '')];
      if (fields.length === 0) return [];
      const calls = operation.sets.map((set) => `${operation.method} ${pathSets[set]}${operation.path}`);
      return [{ name: `${name} ${part}`, calls, part, fields }];
    }),
  );
}

function* fieldsOf(schema: JsonSchema, path: string, required = true): Generator<Field> {
  const variants = variantsOf(schema);
  const solid = variants.filter(({ type }) => type !== 'null');
  const nullable = solid.length < variants.length;
  const [only] = solid;
  if (only?.properties && solid.length === 1) {
    if (path !== '' && (nullable || !required)) yield { path, type: 'object', nullable, required };
    for (const [name, inner] of Object.entries(only.properties)) {
      const isRequired = only.required?.includes(name) ?? false;
      yield* fieldsOf(jsonSchema.parse(inner), path === '' ? name : `${path}.${name}`, isRequired);
    }
    return;
  }
  if (only?.items !== undefined && solid.length === 1) {
    const item = jsonSchema.parse(only.items);
    const isPlain = variantsOf(item).every(({ properties, items }) => !properties && items === undefined);
    if (isPlain) yield { path: `${path}[]`, type: typeText(item), nullable, required };
    else {
      if (nullable || !required) yield { path: `${path}[]`, type: 'list', nullable, required };
      yield* fieldsOf(item, `${path}[]`);
    }
    return;
  }
  // No schema: the operation reads or returns nothing.
  if (path === '' && solid.every(({ type, anyOf, additionalProperties }) => !type && !anyOf && !additionalProperties))
    return;
  yield { path: path || '(itself)', type: typesText(solid) || 'null', nullable, required };
}

function variantsOf(schema: JsonSchema): JsonSchema[] {
  if (schema.anyOf) return schema.anyOf.flatMap((each) => variantsOf(jsonSchema.parse(each)));
  return Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [schema];
}

function typesText(schemas: readonly JsonSchema[]): string {
  const types = new Set(schemas.map(typeText));
  // The spellings of an instant that JSON Schema has no name for.
  if (types.has('instant')) types.delete('text');
  return [...types].join(' or ');
}

function typeText(schema: JsonSchema): string {
  if (schema.anyOf) return typesText(variantsOf(schema));
  if (schema.enum) return schema.enum.map((value) => `\`${String(value) || '""'}\``).join(' ');
  if (schema.const !== undefined) return `\`${String(schema.const) || '""'}\``;
  if (schema.format === 'date-time') return 'instant';
  if (schema.type === 'string') return schema.maxLength === undefined ? 'text' : `text, at most ${schema.maxLength}`;
  if (schema.type === 'integer' || schema.type === 'number') return numberText(schema);
  if (schema.type === 'array') return 'list';
  if (schema.additionalProperties) return 'object by name';
  return typeof schema.type === 'string' ? schema.type : 'any JSON';
}

function numberText({ type, minimum, maximum }: JsonSchema): string {
  const kind = type === 'integer' ? 'integer' : 'number';
  // The bounds of every JavaScript integer carry no information.
  const isBounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  return isBounded ? `${kind}, ${minimum ?? ''}–${maximum}` : kind;
}
