import type { ErrorCode, Operation, PathSetName } from '@tailgate/sync-protocol';
import { errorCodes, pathSets } from '@tailgate/sync-protocol';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { undocumented } from './documented.ts';

/** Headers of a signed-in driver. */
export interface Signed {
  readonly employee_id: string;
  readonly api_token: string;
}

export interface Call {
  readonly as?: Signed;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  /** The value of `:name` in the path; sent unchanged. */
  readonly params?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | FormData;
  readonly paths?: PathSetName;
}

export interface Reply<Data = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly success: boolean;
  readonly message: string;
  readonly data: Data;
  readonly error: { readonly code: ErrorCode; readonly details: { path: string; message: string }[] } | undefined;
  readonly meta: unknown;
}

const success = z.strictObject({
  success: z.literal(true),
  message: z.string(),
  data: z.unknown(),
  meta: z.optional(z.unknown()),
});
const failure = z.strictObject({
  success: z.literal(false),
  message: z.string().check(z.minLength(1)),
  data: z.unknown(),
  error: z.strictObject({
    code: z.string(),
    details: z.array(z.strictObject({ path: z.string(), message: z.string() })),
    request_id: z.string(),
  }),
});

/**
 * Uses HTTP alone. It checks every answer against contract §1, docs/openapi.json and the operation's own schema, field
 * by field, independent of the test.
 */
export class RestClient {
  readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  /** Calls an operation and returns its data; the test fails where it did not succeed. */
  async take<Data>(operation: Operation<unknown, unknown, Data>, call: Call = {}): Promise<Data> {
    const reply = await this.call(operation, call);
    expect(reply.success, `${operation.path}: ${reply.message}`).toBe(true);
    return operation.data.parse(reply.data);
  }

  async call(operation: Operation<unknown, unknown, unknown>, call: Call = {}): Promise<Reply> {
    const { method, path, sets, data } = operation;
    const paths = call.paths ?? (sets.includes('current') ? 'current' : 'v20');
    const reply = await this.send(method, pathSets[paths] + filled(path, call.params), call);
    if (reply.success) data.parse(reply.data);
    return reply;
  }

  async send(method: string, path: string, call: Call = {}): Promise<Reply> {
    const response = await fetch(`${this.url}${path}${call.query ?? ''}`, {
      method,
      headers: {
        ...(call.body !== undefined && { 'content-type': 'application/json' }),
        ...call.as,
        ...call.headers,
      },
      body: call.raw ?? (call.body === undefined ? null : JSON.stringify(call.body)),
    });
    return readReply(method, path, response);
  }
}

const filled = (path: string, params: Call['params'] = {}): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${path} needs params.${name}`);
    return value;
  });

async function readReply(method: string, path: string, response: Response): Promise<Reply> {
  const { status, headers } = response;
  const id = headers.get('x-request-id');
  expect(id, 'every answer carries x-request-id').toMatch(/^[\w.-]{8,}$/);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  const json: unknown = await response.json();
  expect(undocumented({ method, url: path, status, headers, body: json })).toEqual([]);
  if (status < 300) {
    expect(status).toBe(200);
    const { message, data, meta } = success.parse(json);
    return { status, headers, success: true, message, data, error: undefined, meta };
  }
  const { message, data, error } = failure.parse(json);
  expect(error.request_id).toBe(id);
  const code = codeOf(error.code);
  expect(status, `status of ${code}`).toBe(errorCodes[code].status);
  expect(headers.has('retry-after'), `retry-after of ${code}`).toBe(status === 429 || status === 503);
  return { status, headers, success: false, message, data, error: { code, details: error.details }, meta: undefined };
}

function codeOf(code: string): ErrorCode {
  const known = Object.keys(errorCodes).find((each): each is ErrorCode => each === code);
  if (!known) throw new Error(`${code} is not in the catalogue`);
  return known;
}
