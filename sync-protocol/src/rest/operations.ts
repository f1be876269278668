import * as z from '#schema';
import type { ErrorCode } from '../wire/errors.ts';

/** The two path sets of interface.md part 1. */
export const pathSets = { v20: '/api/v20', current: '/api' } as const;
export type PathSetName = keyof typeof pathSets;

/**
 * Who may call. `open` is open as interface.md says, and for drivers only under ACCESS=strict; `public` is open under
 * both (contract §8). `operator` needs `Authorization: Bearer OPS_TOKEN`.
 */
export type Access = 'public' | 'open' | 'driver' | 'operator';

/**
 * Request headers, beside the credentials, that change what an operation does. `if-none-match` also says that its
 * answers carry an ETag, `range` that parts of them can be had.
 */
export type HeededHeader = 'idempotency-key' | 'if-none-match' | 'range';

/** An answer is read, never written to: what is shared with a cache or a view may stand in it. */
export type Answered<Data> = Data extends object ? { readonly [Name in keyof Data]: Answered<Data[Name]> } : Data;

/** One endpoint, whole: mounted, checked, documented and tested from here. */
export interface Operation<Body, Query, Data, Params = unknown, Meta = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The suffix behind the path set. `:name` stands for one segment, which `params` reads. */
  readonly path: `/${string}`;
  readonly sets: readonly PathSetName[];
  readonly access: Access;
  readonly summary: string;
  /** `message` of a success. */
  readonly message: string;
  readonly params: z.ZodMiniType<Params>;
  readonly query: z.ZodMiniType<Query>;
  readonly body: z.ZodMiniType<Body>;
  /** The parts of a multipart/form-data body, where it takes one instead of JSON: for readers, the handler streams it. */
  readonly form?: z.ZodMiniType;
  /** The envelope's `data`. */
  readonly data: z.ZodMiniType<Data>;
  /** The envelope's sibling `meta`, where there is one. */
  readonly meta?: z.ZodMiniType<Meta>;
  /** What a success consists of where it is no envelope: a page, or a file's bytes. `data` is then `nothing`. */
  readonly answers?: 'html' | 'file';
  readonly heeds?: readonly HeededHeader[];
  /** What it may answer beside the codes that every operation can (contract §1). */
  readonly errors: readonly ErrorCode[];
  /** The envelope's `data` of the few errors that carry any. */
  readonly errorData?: Readonly<Partial<Record<ErrorCode, z.ZodMiniType>>>;
}

/** Says that an operation reads no body or no query, or answers no data; whatever comes is ignored. */
export const nothing = z.pipe(
  z.unknown(),
  z.transform(() => undefined),
);

/** Declares an operation; `params` may be left out where its path has none. */
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
