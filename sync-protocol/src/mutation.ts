import * as z from '#schema';
import { canonicalJson } from './canonical-json.ts';
import { loadReportArgs } from './reports.ts';
import { routeKey } from './routes.ts';
import { stopObject } from './stops.ts';
import { clearableText, instant, keyText, stopNumber, yyyymmdd } from './values.ts';

/** Times that clients and servers exchange raw: text, because what a broken clock wrote must be kept, not refused. */
const uuid = z
  .string()
  .check(z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be a lower-case UUID'));

/** What must parse before anything can be kept or answered: who (id) and where in the queue (seq). */
export const mutationIdentity = z.object({ id: uuid, seq: z.int().check(z.gte(1)) });

/**
 * A sealed mutation. `version` is the schema version of `args`. Its content (`contentText`) is all of it but `seq` and
 * `prev_hash`, so that an item keeps its identity when a fork renumbers it; `prev_hash` is the link (`linkText`) of the
 * queue's previous item, null for the first: the queue is a chain.
 */
export const mutation = z.object({
  id: uuid,
  seq: z.int().check(z.gte(1)),
  name: keyText(40).check(z.minLength(1)),
  version: z.int().check(z.gte(1)),
  /** Read by the schema of its name and version. */
  args: z
    .unknown()
    .check(
      z.refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object'),
    ),
  captured_at: instant,
  boot_id: z.string().check(z.minLength(1), z.maxLength(64)),
  /** Milliseconds of a clock that never jumps within one boot. */
  monotonic_ms: z.number().check(z.gte(0)),
  prev_hash: z.nullable(z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 in base64url'))),
});
export type Mutation = z.infer<typeof mutation>;

/** What a mutation's content hash is taken of (SHA-256, base64url, of the UTF-8 bytes): its identity beside `id`. */
export const contentText = (item: object): string => canonicalJson(contentOf(item));

/** All of a mutation but its place in a queue. */
export function contentOf(item: object): object {
  const { seq: _seq, prev_hash: _prev, ...content }: { seq?: unknown; prev_hash?: unknown } = item;
  return content;
}

/** What the link of an item is taken of: its successor carries the SHA-256 of this text, base64url, as `prev_hash`. */
export const linkText = (hash: string, prevHash: string | null, seq: number): string =>
  `{"hash":"${hash}","prev_hash":${prevHash === null ? 'null' : `"${prevHash}"`},"seq":${seq}}`;

/** `stop.update` version 1: one stop object of PUT route/stop and the route that it belongs to. */
export const stopUpdateArgs = z.object({ route: routeKey, stop: stopObject });
export type StopUpdateArgs = z.infer<typeof stopUpdateArgs>;

/** Fields of PUT route/stop/skip-refuse beside the route and stop (contract §4). */
export const skipRefuseFields = {
  status: z.optional(z.nullable(z.enum(['S', 'R']))),
  type: z.optional(z.nullable(z.enum(['skip', 'refuse']))),
  skip_refuse_reason_code: z.optional(clearableText(3)),
  skip_refuse_timestamp: z.optional(clearableText(40)),
  skip_refuse_driver_comment: z.optional(clearableText(2000)),
};
/** `stop.skip_refuse` version 1. */
export const skipRefuseArgs = z.object({ route: routeKey, stop_id: stopNumber, ...skipRefuseFields });
export type SkipRefuseArgs = z.infer<typeof skipRefuseArgs>;

/** The body of PUT route/stop/skip-refuse. */
export const skipRefuseBody = z.object({
  route_id: keyText(10),
  stop_id: stopNumber,
  facility: z.optional(z.nullable(keyText(5))),
  week_end: z.optional(z.nullable(z.union([yyyymmdd, z.literal('')]))),
  ...skipRefuseFields,
});
export type SkipRefuseBody = z.infer<typeof skipRefuseBody>;

/** The body of PUT route/stop; each of its stops becomes one mutation. */
export const stopSyncBody = z.object({
  id: keyText(10),
  facility: z.optional(z.nullable(keyText(5))),
  week_end: z.optional(z.nullable(z.union([yyyymmdd, z.literal('')]))),
  stops: z.array(stopObject).check(z.minLength(1), z.maxLength(500)),
});
export type StopSyncBody = z.infer<typeof stopSyncBody>;

/** Every mutation by name: the schema of its arguments, by version. Adding one is a line here and a rule on the server. */
export const mutationArgs = {
  'stop.update': { 1: stopUpdateArgs },
  'stop.skip_refuse': { 1: skipRefuseArgs },
  'report.load_condition': { 1: loadReportArgs },
} as const;
export type MutationName = keyof typeof mutationArgs;
export const mutationNames = [
  'stop.update',
  'stop.skip_refuse',
  'report.load_condition',
] as const satisfies readonly MutationName[];
export const isMutationName = (name: string): name is MutationName => Object.hasOwn(mutationArgs, name);

export const warning = z.object({ code: z.string(), path: z.string(), message: z.string() });

/**
 * The answer to one mutation. `applied` and `duplicate` carry the route version at which it is contained: it is on the
 * host when the route's `hosted_through` reaches that version and the stop is not parked; a report belongs to no route
 * and has none. `quarantined` is final for the queue: the office has it.
 */
export const mutationResult = z.object({
  seq: z.number(),
  id: z.string(),
  result: z.enum(['applied', 'duplicate', 'quarantined']),
  version: z.optional(z.number()),
  status: z.optional(z.string()),
  warnings: z.optional(z.array(warning)),
  code: z.optional(z.string()),
  reason: z.optional(z.string()),
  details: z.optional(z.array(z.object({ path: z.string(), message: z.string() }))),
});
export type MutationResult = z.infer<typeof mutationResult>;
