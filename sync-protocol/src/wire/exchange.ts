import * as z from '#schema';
import { cursor, deviceClock, goneFrame, helloFrame, pushFrame } from './client-frames.ts';
import { ackFrame, patchFrame, routesFrame, scopeGoneFrame, snapshotFrame, welcomeFrame } from './frames.ts';

// The channel over plain HTTP, for networks that block sockets and for background sync. It uses the same frames, with a
// request for each push and each poll. Credentials are headers: `employee_id` with `api_token` or `queue_key`.

/**
 * The body of `POST /api/sync/push`: the queue's fields of `hello`, and a push. Without mutations it only reads the
 * watermark. The server processes `gone` first, like a frame before the push.
 */
export const pushBody = z.object({
  protocol: z._default(helloFrame.shape.protocol, 1),
  client_id: helloFrame.shape.client_id,
  device: z._default(helloFrame.shape.device, ''),
  sdk: z._default(helloFrame.shape.sdk, ''),
  app: z._default(helloFrame.shape.app, ''),
  clock: z.optional(deviceClock),
  wants_queue_key: helloFrame.shape.wants_queue_key,
  pending: helloFrame.shape.pending,
  oldest_pending_at: helloFrame.shape.oldest_pending_at,
  files: helloFrame.shape.files,
  gone: z.optional(z.omit(goneFrame, { type: true })),
  mutations: pushFrame.shape.mutations,
});
export type PushBody = z.infer<typeof pushBody>;
export type PushBodyInput = z.input<typeof pushBody>;

/** The answer of the push: the fields of `welcome` and `ack`. */
export const pushAnswer = z.object({
  ...z.omit(welcomeFrame, { type: true, routes: true }).shape,
  ...z.omit(ackFrame, { type: true }).shape,
});

/** The parameter `cursors` of `GET /api/sync/pull`: JSON, as in `hello` and `subscribe`. */
export const pullCursors = z.record(z.string().check(z.minLength(1), z.maxLength(120)), z.nullable(cursor));

/** The answer of a poll: for each scope a patch (empty without news), `snapshot` or `gone`, as on the socket. */
export const pullAnswer = z.object({
  server_time: z.string(),
  epoch: z.string(),
  /** With a token: the driver's routes, the pending one first. With a queue key: empty, because it cannot read them. */
  routes: routesFrame.shape.routes,
  frames: z.array(z.discriminatedUnion('type', [patchFrame, snapshotFrame, scopeGoneFrame])),
});
