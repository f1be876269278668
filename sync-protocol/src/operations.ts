import * as z from 'zod/mini';
import type { ErrorCode } from './errors.ts';

/** The two path sets of interface.md part 1. */
export const pathSets = { v20: '/api/v20', current: '/api' } as const;
export type PathSetName = keyof typeof pathSets;

/**
 * Who may call. `open` is open as interface.md says, and for drivers only under ACCESS=strict; `public` is open under
 * both (contract §8). `operator` needs `Authorization: Bearer OPS_TOKEN`.
 */
export type Access = 'public' | 'open' | 'driver' | 'operator';

/** An answer is read, never written to: what is shared with a cache or a view may stand in it. */
export type Answered<Data> = Data extends object ? { readonly [Name in keyof Data]: Answered<Data[Name]> } : Data;

/** One endpoint, whole: mounted, checked, documented and tested from here. */
export interface Operation<Body, Query, Data> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** The suffix behind the path set. */
  readonly path: `/${string}`;
  readonly sets: readonly PathSetName[];
  readonly access: Access;
  readonly summary: string;
  /** `message` of a success. */
  readonly message: string;
  readonly body: z.ZodMiniType<Body>;
  readonly query: z.ZodMiniType<Query>;
  readonly data: z.ZodMiniType<Data>;
  /** What it may answer beside the codes that every operation can (contract §1). */
  readonly errors: readonly ErrorCode[];
}

/** Says that an operation reads no body or no query; whatever comes is ignored. */
export const nothing = z.pipe(
  z.unknown(),
  z.transform(() => undefined),
);

export const operation = <Body, Query, Data>(spec: Operation<Body, Query, Data>): Operation<Body, Query, Data> => spec;
