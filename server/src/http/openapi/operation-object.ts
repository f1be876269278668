import type { RequestHeader, Operation } from '@tailgate/sync-protocol';
import { nothing } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import type { ErrorResponses } from './errors.ts';
import type { Example } from './example.ts';
import type { JsonSchema, SchemaWriter } from './json-schema.ts';

type AnyOperation = Operation<unknown, unknown, unknown>;

/** Name, tag and example of an operation in the document. */
export interface Listing {
  /** `operationId`. */
  readonly name: string;
  readonly tag: string;
  readonly example: Example | undefined;
}

/** The parts of the document that operations refer to. */
export interface Shared {
  readonly schemas: SchemaWriter;
  readonly errors: ErrorResponses;
}

/** An operation of one path set as OpenAPI's Operation Object. */
export function operationObject(operation: AnyOperation, { name, tag, example = {} }: Listing, shared: Shared): object {
  const parameters = parametersOf(operation, example, shared.schemas);
  const body = requestBody(operation, example, shared.schemas);
  return {
    operationId: name,
    tags: [tag],
    summary: operation.summary,
    description: operation.role ? rights[operation.role] : whoMayCall[operation.access],
    security: security[operation.access],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: { ...successes(operation, example, shared.schemas), ...shared.errors.of(operation) },
  };
}

/** HEAD of a file: the headers of GET. Other operations answer HEAD, too, but no client needs it there. */
export function headObject(operation: AnyOperation, { name, tag }: Listing, shared: Shared): object {
  const bare = Object.entries(successes(operation, {}, shared.schemas)).map(
    ([status, { description, headers }]): [string, object] => [status, { description, headers }],
  );
  return {
    operationId: `${name}Head`,
    tags: [tag],
    summary: 'The headers of GET, such as length, type and tag of the file.',
    security: security[operation.access],
    parameters: parametersOf(operation, {}, shared.schemas),
    responses: { ...Object.fromEntries(bare), default: { description: 'The status of GET, without a body.' } },
  };
}

interface Success {
  readonly description: string;
  readonly headers: object;
  readonly content?: object;
}

const driver = { employee_id: [], api_token: [] };
/** An empty requirement means no sign-in. `open` operations require a driver under ACCESS=strict only. */
const security = { public: [{}], open: [{}, driver], driver: [driver], operator: [{ ops_token: [] }] };

const whoMayCall = {
  public: 'Needs no credentials.',
  open: 'Needs no credentials; under `ACCESS=strict` those of a signed-in driver.',
  driver: 'For signed-in drivers.',
  operator: 'For the office.',
};

const rights: Record<NonNullable<AnyOperation['role']>, string> = {
  self: 'For every operator.',
  look: 'For operators with the role `look`, `repair` or `admin`.',
  repair: 'For operators with the role `repair` or `admin`.',
  admin: 'For operators with the role `admin`.',
};

const headerNames: Record<RequestHeader, string> = {
  'idempotency-key': 'IdempotencyKey',
  'if-none-match': 'IfNoneMatch',
  range: 'Range',
};

function parametersOf(operation: AnyOperation, example: Example, writer: SchemaWriter): object[] {
  const { params, query, requestHeaders = [] } = operation;
  const fields = (place: 'path' | 'query', schema: z.ZodMiniType, shown: Example['query'] = {}) =>
    schema instanceof z.ZodMiniObject
      ? writer.writeFields(schema).map(({ name, required, description, schema: written }) => ({
          name,
          in: place,
          required: place === 'path' || required,
          description,
          schema: written,
          ...(shown[name] !== undefined && {
            example: written['type'] === 'integer' ? Number(shown[name]) : shown[name],
          }),
        }))
      : [];
  return [
    ...fields('path', params, example.params),
    ...fields('query', query, example.query),
    ...requestHeaders.map((header) => ({ $ref: `#/components/parameters/${headerNames[header]}` })),
  ];
}

function requestBody({ body, form }: AnyOperation, example: Example, writer: SchemaWriter): object | undefined {
  if (form)
    return { required: true, content: { 'multipart/form-data': media(writer.write(form, 'input'), example.body) } };
  if (body === nothing) return undefined;
  return {
    required: !body.safeParse(undefined).success,
    content: { 'application/json': media(writer.write(body, 'input'), example.body) },
  };
}

const media = (schema: JsonSchema, example: unknown): object => ({ schema, ...(example !== undefined && { example }) });

/** The success answers, by status. */
function successes(operation: AnyOperation, example: Example, writer: SchemaWriter): Record<string, Success> {
  const { answers, requestHeaders = [] } = operation;
  const hasTag = requestHeaders.includes('if-none-match');
  const headers = {
    'x-request-id': { $ref: '#/components/headers/RequestId' },
    ...(hasTag && { etag: { $ref: '#/components/headers/ETag' } }),
  };
  const file = { '*/*': { schema: { type: 'string', format: 'binary' } } };
  const ok = {
    html: { 'text/html': media({ type: 'string' }, example.answer) },
    file,
    lines: { 'application/x-ndjson': { schema: { type: 'string', description: 'JSON objects, one a line.' } } },
    json: { 'application/json': media(envelope(operation, writer), example.answer) },
  }[answers ?? 'json'];
  return {
    200: { description: operation.message, headers, content: ok },
    ...(requestHeaders.includes('range') && {
      206: {
        description: 'The part that was asked for.',
        headers: { ...headers, 'content-range': { $ref: '#/components/headers/ContentRange' } },
        content: file,
      },
      416: { description: 'There is no such part.', headers },
    }),
    ...(hasTag && { 304: { description: 'As the caller has it.', headers } }),
  };
}

function envelope({ message, data, meta }: AnyOperation, writer: SchemaWriter): JsonSchema {
  return {
    type: 'object',
    required: ['success', 'message', 'data', ...(meta ? ['meta'] : [])],
    properties: {
      success: { const: true },
      message: { type: 'string', description: 'For people.', examples: [message] },
      data: writer.write(data, 'output'),
      ...(meta && { meta: { description: 'Beside the documented shape.', ...writer.write(meta, 'output') } }),
    },
  };
}
