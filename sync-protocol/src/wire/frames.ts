import * as z from '#schema';
import { mutationResult } from './mutation-result.ts';
import { routeKey } from '../schema/routes.ts';

// What a server says and a client does something with: a phone loads these schemas. The others: server-frames.ts.

export const scopeName = z.string().check(z.minLength(1), z.maxLength(120));

export const pongFrame = z.object({ type: z.literal('pong'), server_time: z.optional(z.string()) });

/**
 * No server sets `frame_bytes` lower. A client refuses what would not fit into such a frame when it is recorded, offline
 * as well: a change that no frame can carry would never leave the device.
 */
export const leastFrameBytes = 1_048_576;

export const limits = z.object({
  /** Bytes of one frame, either way; at least `leastFrameBytes`. */
  frame_bytes: z.number(),
  mutations_per_push: z.number(),
  pushes_in_flight: z.number(),
  /** Send a ping when nothing was sent for so long; the server closes after three times that. */
  ping_ms: z.number(),
});
export type Limits = z.infer<typeof limits>;

export const assignedRoute = z.object({ ...routeKey.shape, scope: scopeName, status: z.enum(['O', 'C']) });
export type AssignedRoute = z.infer<typeof assignedRoute>;

export const welcomeFrame = z.object({
  type: z.literal('welcome'),
  protocol: z.number(),
  server_time: z.string(),
  /** Changes when the server was restored: cursors of another epoch are worthless. */
  epoch: z.string(),
  /** The watermark: the server has every item of this queue up to here. */
  last_seq: z.number(),
  /** With a token that counts: in the first welcome of a queue, and wherever the hello asked for one (`wants_queue_key`). */
  queue_key: z.optional(z.string()),
  limits,
  features: z.array(z.string()),
  /** Routes of this driver, the pending one first. */
  routes: z.array(assignedRoute),
});
export const rejectFrame = z.object({
  type: z.literal('reject'),
  code: z.string(),
  message: z.string(),
  retry_after_ms: z.optional(z.number()),
});

/**
 * Answers a push, in order: every push gets one `ack`, or one `error` where a failure that may pass kept it from being
 * taken (the client sends it again). `wants`: a gap, the server needs that sequence next. `fork`: another item holds
 * that sequence; the client says hello again as a new queue.
 */
export const ackFrame = z.object({
  type: z.literal('ack'),
  last_seq: z.number(),
  results: z.array(mutationResult),
  wants: z.optional(z.number()),
  fork: z.optional(z.number()),
});
export type AckFrame = z.infer<typeof ackFrame>;

export const document = z.object({ key: z.string(), version: z.number(), value: z.unknown() });
export type FeedDocument = z.infer<typeof document>;

/** A change of a scope, applied atomically. `from` null: the whole scope, what is not in `docs` is gone. */
export const patchFrame = z.object({
  type: z.literal('patch'),
  scope: scopeName,
  epoch: z.string(),
  from: z.nullable(z.number()),
  to: z.number(),
  docs: z.array(document),
  deletes: z.array(z.string()),
  /** Route scopes: the host has every stop up to this version, but for the parked ones. */
  hosted_through: z.optional(z.number()),
  parked: z.optional(z.array(z.object({ stop: z.number(), reason: z.string() }))),
  /** Route scopes: stops that name files which the server does not have; the evidence of all others is complete. */
  awaited: z.optional(z.array(z.number())),
  checksum: z.number(),
});
export type PatchFrame = z.infer<typeof patchFrame>;

/**
 * Ask for this scope over HTTP (`GET /api/sync/snapshot?scope=…`): it is first contact or far behind. The server sends
 * nothing more of the scope until the client subscribes again with the cursor of the snapshot that it fetched.
 */
export const snapshotFrame = z.object({
  type: z.literal('snapshot'),
  scope: scopeName,
  epoch: z.string(),
  version: z.number(),
});
export const scopeGoneFrame = z.object({ type: z.literal('gone'), scope: scopeName, reason: z.string() });
export const routesFrame = z.object({ type: z.literal('routes'), routes: z.array(assignedRoute) });
/**
 * The server closes this connection now: come back after so long, not earlier, whatever the platform says of the network.
 * Each phone is told another moment, so that a depot does not come back as one.
 */
export const goodbyeFrame = z.object({ type: z.literal('goodbye'), retry_after_ms: z.number() });
export const sessionFrame = z.object({
  type: z.literal('session'),
  state: z.enum(['revoked', 'expires']),
  reason: z.optional(z.string()),
  expires_in_s: z.optional(z.number()),
});
export const errorFrame = z.object({
  type: z.literal('error'),
  code: z.string(),
  message: z.string(),
  details: z._default(z.array(z.object({ path: z.string(), message: z.string() })), []),
});

/** What a client heeds. Of a ping it reads only that it is one. */
export const heardFrames = [
  welcomeFrame,
  rejectFrame,
  ackFrame,
  patchFrame,
  snapshotFrame,
  scopeGoneFrame,
  routesFrame,
  sessionFrame,
  goodbyeFrame,
  errorFrame,
  pongFrame,
] as const;
export const heardFrame = z.discriminatedUnion('type', [...heardFrames, z.object({ type: z.literal('ping') })]);
export type HeardFrame = z.infer<typeof heardFrame>;

/** The body of `GET /api/sync/snapshot?scope=…`: a patch from nothing. */
const { type: _type, from: _from, ...whole } = patchFrame.shape;
export const snapshotBody = z.object(whole);
export type Snapshot = z.infer<typeof snapshotBody>;

/** Close codes of the channel, beside those of RFC 6455. */
export const closeCodes = {
  rejected: 4001,
  signedOut: 4002,
  badFrames: 4003,
  slowReader: 4004,
  silent: 4005,
  goingAway: 1001,
} as const;
