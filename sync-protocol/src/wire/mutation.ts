import * as z from '#schema';
import { instant, word } from '../schema/values.ts';

const uuid = z
  .string()
  .check(z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be a lower-case UUID'));

/** The fields that must parse before the server can store or answer a mutation: its id and its place in the queue. */
export const mutationIdentity = z.object({ id: uuid, seq: z.int().check(z.gte(1)) });

/**
 * A sealed mutation. `version` is the schema version of `args`. The content (`contentText`) excludes `seq` and
 * `prev_hash`, so an item keeps its identity when a fork renumbers it. `prev_hash` links to the queue's previous item
 * (`linkText`), null for the first: the queue is a chain.
 */
export const mutation = z.object({
  id: uuid,
  seq: z.int().check(z.gte(1)),
  name: word(40).check(z.minLength(1)),
  version: z.int().check(z.gte(1)),
  /** The schema of name and version parses it. */
  args: z
    .unknown()
    .check(
      z.refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object'),
    ),
  captured_at: instant,
  boot_id: z.string().check(z.minLength(1), z.maxLength(64)),
  /** Milliseconds of a clock that does not jump within one boot. */
  monotonic_ms: z.number().check(z.gte(0)),
  prev_hash: z.nullable(z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 in base64url'))),
});
export type Mutation = z.infer<typeof mutation>;
