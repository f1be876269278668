import * as z from '#schema';
import type { DeepReadonly } from '../schema/deep-readonly.ts';
import { mutationResult } from './mutation-result.ts';
import { routeKey } from '../schema/routes.ts';

// Frames from the server that a client processes; a phone loads these schemas. server-frames.ts has the other frames.

export const scopeName = z.string().check(z.minLength(1), z.maxLength(120));

export const pongFrame = z.object({ type: z.literal('pong'), server_time: z.optional(z.string()) });

/**
 * The lower bound of `frame_bytes`. A client refuses a larger change when the app records it, also offline: a change
 * that no frame can carry would never leave the device.
 */
export const minFrameBytes = 1_048_576;

export const limits = z.object({
  /** Maximum bytes of a frame in either direction; at least `minFrameBytes`. */
  frame_bytes: z.number(),
  mutations_per_push: z.number(),
  pushes_in_flight: z.number(),
  /** The client sends a ping after this time without a frame. The server closes after three times that. */
  ping_ms: z.number(),
});
export type Limits = z.infer<typeof limits>;

export const assignedRoute = z.object({ ...routeKey.shape, scope: scopeName, status: z.enum(['O', 'C']) });
/** A route of the driver: O open, C closed. */
export type AssignedRoute = DeepReadonly<z.infer<typeof assignedRoute>>;

export const welcomeFrame = z.object({
  type: z.literal('welcome'),
  protocol: z.number(),
  server_time: z.string(),
  /** Changes with a restore of the server: cursors of another epoch are invalid. */
  epoch: z.string(),
  /** The watermark: the server has every item of this queue up to this sequence. */
  last_seq: z.number(),
  /** With a valid token: in the first welcome of a queue, and in answer to `wants_queue_key`. */
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
  reason: z.optional(z.string()),
  retry_after_ms: z.optional(z.number()),
});

/**
 * Answers a push, in order. Every push gets one `ack`, or one `error` after a temporary failure; the client then sends
 * it again. `wants`: the push left a gap, and the server needs that sequence next. `fork`: another item has that
 * sequence, and the client sends hello again as a new queue.
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

/** A change of a scope, applied atomically. `from` null: `docs` is the whole scope. */
export const patchFrame = z.object({
  type: z.literal('patch'),
  scope: scopeName,
  epoch: z.string(),
  from: z.nullable(z.number()),
  to: z.number(),
  docs: z.array(document),
  deletes: z.array(z.string()),
  /** Route scopes: the host has every stop up to this version, except the parked ones. */
  hosted_through: z.optional(z.number()),
  /** Route scopes: changes up to this version were accepted in shadow; the host will not have them. Every patch has it; absent: none. */
  shadow_through: z.optional(z.number()),
  parked: z.optional(z.array(z.object({ stop: z.number(), reason: z.string() }))),
  /** Route scopes: stops with files that the server lacks. The evidence of all other stops is complete. */
  awaited: z.optional(z.array(z.number())),
  checksum: z.number(),
});
export type PatchFrame = z.infer<typeof patchFrame>;

/**
 * The client must fetch this scope over HTTP (`GET /api/sync/snapshot?scope=…`), because its replica is empty or far
 * behind. The server sends no patch of the scope until the client subscribes with the cursor of the fetched snapshot.
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
 * The server closes this connection now. The client reconnects after `retry_after_ms` and not earlier, regardless of
 * network events of the platform. Each phone gets a different time, so a depot does not reconnect at once.
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

/** Frames that a client processes. Of a ping it reads only the type. */
export const receivedFrames = [
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
export const receivedFrame = z.discriminatedUnion('type', [...receivedFrames, z.object({ type: z.literal('ping') })]);
export type ReceivedFrame = z.infer<typeof receivedFrame>;

/** The body of `GET /api/sync/snapshot?scope=…`: a patch of the whole scope. */
const { type: _type, from: _from, ...whole } = patchFrame.shape;
export const snapshotBody = z.object(whole);
export type Snapshot = z.infer<typeof snapshotBody>;

/** Close codes of the channel, in addition to those of RFC 6455. */
export const closeCodes = {
  rejected: 4001,
  signedOut: 4002,
  badFrames: 4003,
  slowReader: 4004,
  silent: 4005,
  goingAway: 1001,
} as const;
