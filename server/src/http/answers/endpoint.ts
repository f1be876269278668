import type { Answered, Operation, PathSetName } from '@tailgate/sync-protocol';
import type { FastifyRequest } from 'fastify';
import type { Driver } from '../../auth/sessions.ts';
import type { Credentials, OpsCaller } from '../../wire/access.ts';
import { credentialsOf } from '../../wire/access.ts';
import { AppError } from '../../wire/errors.ts';
import type { RawAnswer } from './raw-answer.ts';
import type { Rendered } from './rendered.ts';
import { inputReader, invalidInput } from './validation.ts';

/** A request with checked inputs. */
export interface Call<Body, Query, Params = undefined> {
  readonly body: Body;
  readonly query: Query;
  /** The path's parameters by name. */
  readonly params: Params;
  /** The path set of the request: an operation can differ slightly between the two. */
  readonly paths: PathSetName;
  readonly credentials: Credentials;
  /** `Idempotency-Key`, where the caller sent one. */
  readonly idempotencyKey: string | undefined;
  /** For handlers that read a stream or a header. All other inputs are checked above. */
  readonly request: FastifyRequest;
}

export interface DriverCall<Body, Query, Params = undefined> extends Call<Body, Query, Params> {
  readonly driver: Driver;
}

export interface OpsCall<Body, Query, Params = undefined> extends Call<Body, Query, Params> {
  readonly caller: OpsCaller;
}

export interface JsonAnswer<Data, Meta = unknown> {
  readonly data: Answered<Data> | Rendered<Answered<Data>>;
  /** Replaces the operation's own message. */
  readonly message?: string;
  /** Facts beside the documented shape. */
  readonly meta?: Answered<Meta>;
  /** Quoted, such as `"a1"`. A request with the same tag in If-None-Match gets 304 without a body. */
  readonly etag?: string;
  /** Lower case, such as `cache-control`. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type Answer<Data, Meta = unknown> = JsonAnswer<Data, Meta> | RawAnswer;

/** An operation with its handler. The compiler compares the types of its inputs and its answer. */
export interface Endpoint {
  readonly operation: Operation<unknown, unknown, unknown>;
  readonly answer: (request: FastifyRequest, paths: PathSetName) => Promise<Answer<unknown>>;
}

export function endpoint<Body, Query, Data, Params, Meta>(
  operation: Operation<Body, Query, Data, Params, Meta>,
  handle: (call: Call<Body, Query, Params>) => Promise<Answer<Data, Meta>>,
): Endpoint {
  const readCall = callReader(operation);
  return { operation, answer: async (request, paths) => handle(readCall(request, paths)) };
}

/** An endpoint of an operation whose access is `driver`. */
export function driverEndpoint<Body, Query, Data, Params, Meta>(
  operation: Operation<Body, Query, Data, Params, Meta>,
  handle: (call: DriverCall<Body, Query, Params>) => Promise<Answer<Data, Meta>>,
): Endpoint {
  const readCall = callReader(operation);
  return {
    operation,
    answer: async (request, paths) => {
      const { driver } = request;
      if (!driver) throw new AppError('MISSING_CREDENTIALS');
      return handle({ ...readCall(request, paths), driver });
    },
  };
}

/** An endpoint of an operation whose access is `operator`, where it matters who calls. */
export function opsEndpoint<Body, Query, Data, Params, Meta>(
  operation: Operation<Body, Query, Data, Params, Meta>,
  handle: (call: OpsCall<Body, Query, Params>) => Promise<Answer<Data, Meta>>,
): Endpoint {
  const readCall = callReader(operation);
  return {
    operation,
    answer: async (request, paths) => {
      const { ops: caller } = request;
      if (!caller) throw new AppError('MISSING_CREDENTIALS');
      return handle({ ...readCall(request, paths), caller });
    },
  };
}

function callReader<Body, Query, Data, Params, Meta>(operation: Operation<Body, Query, Data, Params, Meta>) {
  const readBody = inputReader(operation.body);
  const readQuery = inputReader(operation.query);
  const readParams = inputReader(operation.params);
  return (request: FastifyRequest, paths: PathSetName): Call<Body, Query, Params> => ({
    body: readBody(request.body),
    query: readQuery(request.query),
    params: readParams(request.params),
    paths,
    credentials: credentialsOf(request),
    idempotencyKey: readIdempotencyKey(request),
    request,
  });
}

const longestKey = 200;

function readIdempotencyKey({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (typeof key === 'string' && key.length <= longestKey) return key || undefined;
  if (key === undefined) return undefined;
  throw invalidInput([{ path: 'idempotency-key', message: `must be one value of at most ${longestKey} characters` }]);
}
