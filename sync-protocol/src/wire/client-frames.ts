import * as z from '#schema';
import { pongFrame, scopeName } from './frames.ts';

// Frames from the client. Phones use only their types and load none of these schemas.

const shortText = z.string().check(z.maxLength(200));
const documentVersion = z.int().check(z.gte(0));

/**
 * A text for people. PostgreSQL stores neither NUL nor half of a surrogate pair, and an unusual text, such as the name
 * that a maker gave a device, must not exclude a phone.
 */
const label = z.pipe(shortText, z.transform(storable));
function storable(value: string): string {
  return value.replaceAll('\0', '').replace(/[\ud800-\udfff]/gu, '\ufffd');
}

/** The position of a replica in a scope. */
export const cursor = z.object({ epoch: shortText, version: documentVersion });
export type Cursor = z.infer<typeof cursor>;

/** A reading of a device's clocks. The server uses it to correct the times of the queue's items. */
export const deviceClock = z.object({
  now: z.string().check(z.maxLength(40)),
  boot_id: z.string().check(z.minLength(1), z.maxLength(64)),
  monotonic_ms: z.number(),
  /** The server's time at `monotonic_ms`, as the device measured it by NTP's rule. */
  server_now: z.optional(z.string().check(z.maxLength(40))),
});
export type DeviceClock = z.infer<typeof deviceClock>;

/** Files on the device that the server does not have yet, of this queue's driver. Absent: the app does not report them. */
export const waitingFiles = z.object({
  count: documentVersion,
  bytes: documentVersion,
  /** When the oldest was added, by the device's clock; null without files. */
  oldest_at: z._default(z.nullable(z.string().check(z.maxLength(40))), null),
});
export type WaitingFiles = z.infer<typeof waitingFiles>;

export const pingFrame = z.object({
  type: z.literal('ping'),
  pending: z._default(documentVersion, 0),
  oldest_pending_at: z._default(z.nullable(z.string().check(z.maxLength(40))), null),
  files: z.optional(waitingFiles),
  clock: z.optional(deviceClock),
});
export type PingFrame = z.infer<typeof pingFrame>;

/** The first frame. It has exactly one of `api_token` and `queue_key`. A queue key permits pushes only. */
export const helloFrame = z.object({
  type: z.literal('hello'),
  /** Any whole number: the answer to one that the server does not speak names its range. */
  protocol: z.int(),
  client_id: z.uuid(),
  device: label,
  employee_id: z.string().check(
    z.minLength(1),
    z.maxLength(10),
    z.refine((value) => !value.includes('\0'), 'must not contain NUL'),
  ),
  api_token: z.optional(shortText),
  queue_key: z.optional(shortText),
  /**
   * With `api_token` only: this device has no key of this queue, because it is new or the `welcome` with the key was
   * lost. The server generates a new key, sends it in `welcome` and revokes any earlier one.
   */
  wants_queue_key: z.optional(z.boolean()),
  sdk: label,
  app: label,
  clock: deviceClock,
  /** Scopes to follow; null where the replica is empty. */
  cursors: z._default(z.record(scopeName, z.nullable(cursor)), {}),
  pending: z._default(documentVersion, 0),
  oldest_pending_at: z._default(z.nullable(z.string().check(z.maxLength(40))), null),
  files: z.optional(waitingFiles),
});
export type HelloFrame = z.infer<typeof helloFrame>;

/** Only id and seq of a mutation must parse. The server checks the rest item by item and never refuses the push. */
export const pushFrame = z.object({ type: z.literal('push'), mutations: z.array(z.unknown()) });
/** The server answers each scope with a patch (empty without news), a `snapshot` frame, or `gone`. */
export const subscribeFrame = z.object({
  type: z.literal('subscribe'),
  cursors: z.record(scopeName, z.nullable(cursor)),
});
export const unsubscribeFrame = z.object({ type: z.literal('unsubscribe'), scopes: z.array(scopeName) });
/**
 * Items that this device recorded and no longer has. The server records an incident and moves the watermark to `to`. The
 * frame needs no answer; a server may send an `ack` without results. Frames keep their order, so the next push counts
 * from `to`.
 */
export const goneFrame = z.object({
  type: z.literal('gone'),
  from: z.int().check(z.gte(1)),
  to: z.int().check(z.gte(1)),
  reason: label,
});
export const clientFrame = z.discriminatedUnion('type', [
  helloFrame,
  pushFrame,
  subscribeFrame,
  unsubscribeFrame,
  goneFrame,
  pingFrame,
  pongFrame,
]);
export type ClientFrame = z.infer<typeof clientFrame>;
export type ClientFrameInput = z.input<typeof clientFrame>;
