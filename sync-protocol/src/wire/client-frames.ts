import * as z from '#schema';
import { pongFrame, scopeName } from './frames.ts';

// What a client says. Phones need its types only, and load no schema of it.

const shortText = z.string().check(z.maxLength(200));
const documentVersion = z.int().check(z.gte(0));

/** What people read of a device. Databases hold no NUL, and no phone stays outside for what its maker has named it. */
const label = z.pipe(shortText, z.transform(withoutNul));
function withoutNul(value: string): string {
  return value.replaceAll('\0', '');
}

/** Where a replica stands in a scope. */
export const cursor = z.object({ epoch: shortText, version: documentVersion });
export type Cursor = z.infer<typeof cursor>;

/** What a device's clocks say at this moment; from it the server corrects the times of the queue's items. */
export const deviceClock = z.object({
  now: z.string().check(z.maxLength(40)),
  boot_id: z.string().check(z.minLength(1), z.maxLength(64)),
  monotonic_ms: z.number(),
  /** What the server's clock says at `monotonic_ms` as the device has measured it, by NTP's rule. */
  server_now: z.optional(z.string().check(z.maxLength(40))),
});
export type DeviceClock = z.infer<typeof deviceClock>;

export const pingFrame = z.object({
  type: z.literal('ping'),
  pending: z._default(documentVersion, 0),
  oldest_pending_at: z._default(z.nullable(z.string().check(z.maxLength(40))), null),
  clock: z.optional(deviceClock),
});
export type PingFrame = z.infer<typeof pingFrame>;

/** The first frame. Exactly one of `api_token` and `queue_key`; a queue key may push, nothing else. */
export const helloFrame = z.object({
  type: z.literal('hello'),
  protocol: z.int().check(z.gte(1)),
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
   * With `api_token` only: this device holds no key of this queue (first contact, or the welcome that carried it was
   * lost). The server mints a new one, tells it in `welcome`, and forgets any earlier one.
   */
  wants_queue_key: z.optional(z.boolean()),
  sdk: label,
  app: label,
  clock: deviceClock,
  /** Scopes to follow; null where the replica holds nothing yet. */
  cursors: z._default(z.record(scopeName, z.nullable(cursor)), {}),
  pending: z._default(documentVersion, 0),
  oldest_pending_at: z._default(z.nullable(z.string().check(z.maxLength(40))), null),
});
export type HelloFrame = z.infer<typeof helloFrame>;

/** Mutations are unknown here: only id and seq must parse; the rest is checked one by one and never refused. */
export const pushFrame = z.object({ type: z.literal('push'), mutations: z.array(z.unknown()) });
/** Each scope is answered: by a patch (empty where nothing is new), a `snapshot` frame, or `gone`. */
export const subscribeFrame = z.object({
  type: z.literal('subscribe'),
  cursors: z.record(scopeName, z.nullable(cursor)),
});
export const unsubscribeFrame = z.object({ type: z.literal('unsubscribe'), scopes: z.array(scopeName) });
/**
 * Items that this device no longer has although it recorded them: an incident, and the watermark moves to `to`. Needs no
 * answer; a server may send an `ack` without results. Frames are taken in order, so the push that follows it counts from there.
 */
export const goneFrame = z.object({
  type: z.literal('gone'),
  from: z.int().check(z.gte(1)),
  to: z.int().check(z.gte(1)),
  reason: shortText,
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
