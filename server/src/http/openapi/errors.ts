import type { ErrorCode, Operation } from '@tailgate/sync-protocol';
import { errorCodes } from '@tailgate/sync-protocol';
import type { JsonSchema, SchemaWriter } from './json-schema.ts';

type AnyOperation = Operation<unknown, unknown, unknown>;

/** Every code that an operation can answer: its own, and those of its access and method (contract §1). */
function codesOf({ method, access, errors }: AnyOperation): ErrorCode[] {
  const credentials: ErrorCode[] = access === 'public' ? [] : ['MISSING_CREDENTIALS', 'INVALID_TOKEN'];
  const roles: ErrorCode[] = access === 'operator' ? ['ROLE_REQUIRED', 'PASSWORD_CHANGE_REQUIRED'] : [];
  const bodies: ErrorCode[] = method === 'GET' ? [] : ['TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];
  const everywhere: ErrorCode[] = ['VALIDATION_FAILED', 'INTERNAL', 'DATABASE_UNAVAILABLE'];
  return [...new Set([...credentials, ...roles, ...bodies, ...everywhere, ...errors])];
}

/** The error answers of the document. Operations share them by name. */
export class ErrorResponses {
  readonly #writer: SchemaWriter;
  readonly #shared = new Map<string, object>();

  constructor(writer: SchemaWriter) {
    this.#writer = writer;
  }

  get components(): Record<string, object> {
    return Object.fromEntries([...this.#shared].sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /** The error answers of an operation, by status. */
  of(operation: AnyOperation): Record<string, object> {
    const byStatus = Map.groupBy(codesOf(operation), (code) => errorCodes[code].status);
    return Object.fromEntries(
      [...byStatus]
        .sort(([one], [other]) => one - other)
        .map(([status, codes]) => [status, this.#response(status, codes, operation.errorData ?? {})]),
    );
  }

  #response(status: number, codes: readonly ErrorCode[], errorData: NonNullable<AnyOperation['errorData']>): object {
    const data = codes.flatMap((code) => errorData[code] ?? []).map((schema) => this.#writer.write(schema, 'output'));
    const plain = codes.filter((code) => !errorData[code]);
    if (data.length > 0) return response(status, codes, [...data, ...(plain.length > 0 ? [nothingElse] : [])], plain);
    const name = codes.join('.');
    this.#shared.set(name, response(status, codes, [nothingElse], plain));
    return { $ref: `#/components/responses/${name}` };
  }
}

const nothingElse: JsonSchema = { type: 'null' };

const response = (
  status: number,
  codes: readonly ErrorCode[],
  data: readonly JsonSchema[],
  shown: readonly ErrorCode[],
): object => ({
  description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('\n\n'),
  headers: {
    'x-request-id': { $ref: '#/components/headers/RequestId' },
    ...((status === 429 || status === 503) && { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }),
  },
  content: {
    'application/json': {
      schema: errorEnvelope(codes, data),
      ...(shown.length > 0 && { examples: Object.fromEntries(shown.map((code) => [code, { value: example(code) }])) }),
    },
  },
});

const errorEnvelope = (codes: readonly string[], data: readonly JsonSchema[]): JsonSchema => ({
  type: 'object',
  required: ['success', 'message', 'data', 'error'],
  properties: {
    success: { const: false },
    message: { type: 'string', description: 'For people.' },
    data: data.length === 1 ? data[0] : { anyOf: data },
    error: {
      type: 'object',
      required: ['code', 'details', 'request_id'],
      properties: {
        code: { type: 'string', enum: codes, description: 'For programs.' },
        details: {
          description: 'Each fault of the input with its path; empty where the input is not what is wrong.',
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: {
              path: { type: 'string', description: 'Dotted, such as `stops.0.updates.status`.' },
              message: { type: 'string', description: 'For people.' },
            },
          },
        },
        request_id: { type: 'string', description: 'The same as the header `x-request-id`.' },
      },
    },
  },
});

/** Any error, also that of an unknown path. */
export const anyError: JsonSchema = errorEnvelope(Object.keys(errorCodes), [{}]);

function example(code: ErrorCode): object {
  const details =
    code === 'VALIDATION_FAILED' ? [{ path: 'stops.0.updates.status', message: 'status C is for stop 999 only' }] : [];
  const [fault] = details;
  return {
    success: false,
    message: fault ? `${fault.path}: ${fault.message}` : errorCodes[code].meaning,
    data: null,
    error: { code, details, request_id: '1f9c2f6e-6c1b-4f0e-9d0b-5a6f0d6f3c11' },
  };
}
