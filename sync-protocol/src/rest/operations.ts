import * as z from '#schema';
import type { ErrorCode } from '../wire/errors.ts';

/** The two path sets of interface.md part 1. */
export const pathSets = { v20: '/api/v20', current: '/api' } as const;
export type PathSetName = keyof typeof pathSets;

/**
 * The required credentials. `public` needs none. `open` needs none by interface.md, and a driver's under ACCESS=strict
 * (contract §8). `operator` needs `Authorization: Bearer` with an operator's session or OPS_TOKEN.
 */
export type Access = 'public' | 'open' | 'driver' | 'operator';

/** The rights of a named operator. Each role includes those before it. */
export type OperatorRole = 'look' | 'repair' | 'admin';

/**
 * Request headers, beside the credentials, that change the effect of an operation. With `if-none-match` its answers have
 * an ETag; with `range` it returns parts of them.
 */
export type RequestHeader = 'idempotency-key' | 'if-none-match' | 'range';

/** The type of an answer. It is read-only, because it may share parts with a cache or a view. */
export type Answered<Data> = Data extends object ? { readonly [Name in keyof Data]: Answered<Data[Name]> } : Data;

/** The complete definition of an endpoint; routing, validation, documentation and tests use it. */
export interface Operation<Body, Query, Data, Params = unknown, Meta = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path after the prefix of its set. `params` parses each segment `:name`. */
  readonly path: `/${string}`;
  readonly sets: readonly PathSetName[];
  readonly access: Access;
  /** The least role of an operator; every operation with the access `operator` has one. `self`: their own session. */
  readonly role?: OperatorRole | 'self';
  readonly summary: string;
  /** `message` of a success. */
  readonly message: string;
  readonly params: z.ZodMiniType<Params>;
  readonly query: z.ZodMiniType<Query>;
  readonly body: z.ZodMiniType<Body>;
  /** The parts of a multipart/form-data body in place of JSON. For the documentation only: the handler streams the body. */
  readonly form?: z.ZodMiniType;
  /** The envelope's `data`. */
  readonly data: z.ZodMiniType<Data>;
  /** The `meta` beside the envelope's `data`; absent without one. */
  readonly meta?: z.ZodMiniType<Meta>;
  /** A success without an envelope: a page, a file's bytes, or a stream of JSON lines. `data` is then `nothing`. */
  readonly answers?: 'html' | 'file' | 'lines';
  readonly requestHeaders?: readonly RequestHeader[];
  /** Error codes beside those of every operation (contract §1). */
  readonly errors: readonly ErrorCode[];
  /** The envelope's `data` of errors that have any. */
  readonly errorData?: Readonly<Partial<Record<ErrorCode, z.ZodMiniType>>>;
}

/** The schema of an absent body, query or `data`; it ignores any input. */
export const nothing = z.pipe(
  z.unknown(),
  z.transform(() => undefined),
);

/** Declares an operation; `params` is optional for a path without parameters. */
export function operation<Body, Query, Data, Meta = undefined>(
  spec: Omit<Operation<Body, Query, Data, undefined, Meta>, 'params'> & { readonly params?: undefined },
): Operation<Body, Query, Data, undefined, Meta>;
export function operation<Body, Query, Data, Params, Meta = undefined>(
  spec: Operation<Body, Query, Data, Params, Meta>,
): Operation<Body, Query, Data, Params, Meta>;
export function operation<Body, Query, Data>(
  spec: Omit<Operation<Body, Query, Data>, 'params'> & { readonly params?: z.ZodMiniType | undefined },
): Operation<Body, Query, Data> {
  return { ...spec, params: spec.params ?? nothing };
}
