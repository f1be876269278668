import type { SyncLimits } from '../limits.ts';

// The words of the AsyncAPI document. docs/protocol.md explains the rules in full.

export const about = `
The WebSocket between a phone and the server, with text frames of JSON: one object each, with a \`type\`.

**Handshake.** \`GET /api/sync\` with an upgrade. No header is required and no subprotocol is used: the first frame, \`hello\`,
has the credentials. It comes within 5 seconds. The answer is \`welcome\` or \`reject\`. A \`ping\` before it is answered, too, so a
client can probe a network.

**Order.** Each \`push\` gets exactly one \`ack\` or \`error\`, in the order of the pushes. Patches of a scope come without gaps.
A patch and the \`ack\` of its push may arrive in either order.

**Compatibility.** Both sides ignore unknown types and members. \`hello.protocol\` names the version of the client;
\`x-protocol\` lists the versions that this server supports. Additions that clients ignore keep the version.

**Beyond schemas.** Lengths of text are characters (Unicode code points). Text with NUL or half of a surrogate pair is
refused, and so is a key with any control character.

\`docs/protocol.md\` has the rules of the queue, the sealing of items, the feed, time, and files. The REST interface, with
sign-in, is in \`openapi.json\`.
`.trim();

interface FrameWords {
  readonly summary: string;
  readonly more?: string;
}

/** By sender and type. */
export const frameWords: Readonly<Record<string, FrameWords>> = {
  'phone.hello': {
    summary: 'Queue, protocol, clocks, scopes with cursors, and pending items. First, and once.',
    more: 'Exactly one of `api_token` and `queue_key`. A queue key permits pushes only.',
  },
  'phone.push': { summary: 'Sealed mutations of this queue, in order, not empty.' },
  'phone.subscribe': { summary: 'More scopes, or one again from another cursor.' },
  'phone.unsubscribe': { summary: 'Ends the subscription of these scopes.' },
  'phone.gone': {
    summary: 'Items were recorded here and are lost.',
    more: 'The server records an incident and advances the watermark.',
  },
  'phone.ping': { summary: 'The phone is alive; its pending items; the clocks again where they have moved.' },
  'phone.pong': { summary: 'Answers the ping of the server.' },
  'server.welcome': {
    summary: 'The watermark, the epoch, the limits, the routes of the driver; the queue key if it is issued.',
  },
  'server.reject': { summary: 'Refuses the connection, which then closes with 4001.' },
  'server.ack': { summary: 'Answers one push, always after the commit.' },
  'server.patch': {
    summary: 'A change of a scope from one version to another.',
    more: 'Apply it whole or not at all. `from` null replaces the whole scope.',
  },
  'server.snapshot': {
    summary: 'No patch can start at this cursor: fetch the scope over HTTP, then subscribe with the fetched cursor.',
  },
  'server.gone': { summary: 'The driver may not, or no longer, read this scope.' },
  'server.routes': { summary: 'The routes of the driver have changed: all of them, the pending one first.' },
  'server.timer': { summary: 'The deadlines of the closing timers of a route, after each patch with its header.' },
  'server.session': { summary: 'The session was revoked, or ends in less than a day. Pushing remains possible.' },
  'server.goodbye': {
    summary: 'The server is about to close the connection: reconnect later, here or at another node.',
  },
  'server.error': { summary: 'A bad frame with its field, or a push that failed for now: send it again.' },
  'server.ping': { summary: 'The server received nothing for `ping_ms`. Answer with pong.' },
  'server.pong': { summary: 'Answers a ping, with the time of the server.' },
};

/** By member; by sender, type and member where a frame has another meaning for it. */
export const fieldWords: Readonly<Record<string, string>> = {
  type: 'The kind of the frame.',
  protocol: 'Version of the protocol.',
  client_id: 'The queue: a UUID that the installation makes for one employee.',
  device: 'Name of the device for people.',
  employee_id: 'The employee of the queue.',
  api_token: 'Of a sign-in by REST.',
  queue_key: 'Permits to push this queue without a session.',
  'server.welcome.queue_key': 'The new key of the queue; an earlier one ends.',
  wants_queue_key: 'With `api_token`: this device has no key of this queue.',
  sdk: 'Name and version of the SDK.',
  app: 'Name and version of the app.',
  clock: 'A reading of the clocks of the device at one moment.',
  cursors: 'The position of the replica in each scope; null where it is empty.',
  pending: 'Number of recorded items without an answer.',
  oldest_pending_at: 'When the oldest of them was recorded, by the clock of the device.',
  files: 'Files that wait on the phone: number, bytes, and the time of the oldest.',
  mutations: 'Sealed items. Beside `id` and `seq` the server checks each item by itself.',
  scopes: 'Names of scopes.',
  from: 'The version that the patch begins at; null: it replaces the whole scope.',
  'phone.gone.from': 'The first lost sequence.',
  to: 'The version after the patch.',
  'phone.gone.to': 'The last lost sequence.',
  reason: 'For people.',
  'server.reject.reason':
    'With `INVALID_TOKEN`: why the session of this token has ended, as in `session`; absent for an unknown token.',
  'server.session.reason': 'Why it was revoked, such as `signed_out` or `evicted`; later versions may add reasons.',
  server_time: 'The clock of the server, UTC.',
  epoch: 'Changes when the server or the route is restored: cursors of another epoch are invalid.',
  last_seq: 'The watermark: the server has every item of this queue up to this sequence.',
  limits: 'The limits of this connection.',
  features: 'Optional parts; ignore unknown names.',
  routes: 'Routes of the driver, the pending one first.',
  code: 'An error code; treat an unknown one as temporary.',
  message: 'For people.',
  retry_after_ms: 'Not before this time. It differs for each phone.',
  results: 'The result of each item, in order.',
  wants: 'A gap: send again from this sequence.',
  fork: 'Another item has this sequence: send hello again as a new queue.',
  scope: 'The scope, such as `route:F01:R100:20261121`.',
  version: 'The version of the scope.',
  docs: 'Changed documents. `x-values` has the schema of a value by the first part of its key.',
  deletes: 'Keys of deleted documents.',
  hosted_through: 'The host has every stop up to this version, except the parked ones and those of a shadow.',
  shadow_through:
    'Changes up to this version were accepted in shadow: they are finished, and the host will not have them.',
  parked: 'Stops that the host refuses.',
  awaited: 'Stops that name files which the server lacks.',
  checksum: 'The sum over all live documents, for comparison with the own one.',
  autoclose_at: 'When the route closes after an arrival; null where no timer runs.',
  forceclose_at: 'When the route closes for want of an arrival; null where no timer runs.',
  state: 'Whether the session was revoked, or expires soon.',
  expires_in_s: 'Seconds until the session ends.',
  details: 'The wrong members by their paths.',
};

export const closeWords: Readonly<Record<number, string>> = {
  1001: 'The server stops; all pushes are answered. Reconnect; another node may be available.',
  4001: 'After `reject`.',
  4002: 'The phone closes because its driver signed out.',
  4003: 'The third bad frame.',
  4004: 'Nothing was read for 30 s while frames waited; before the hello, immediately.',
  4005: 'No hello, or nothing received for three times `ping_ms`.',
};

/** Codes of RFC 6455 and its registry, with their use here. */
export const otherCloseCodes = [
  { code: 1008, name: 'policy', description: 'A frame has more fragments than `fragments`.' },
  {
    code: 1009,
    name: 'tooBig',
    description: 'A frame has more than twice `frame_bytes`; before welcome, more than `hello_bytes`.',
  },
  {
    code: 1013,
    name: 'tryAgainLater',
    description: 'Send hello again: the database is unavailable, or has no such queue.',
  },
];

export const limitWords: readonly (readonly [keyof SyncLimits, string])[] = [
  [
    'frame_bytes',
    'Bytes of a frame in either direction. Past it: `error` with FRAME_TOO_LARGE; past twice that: 1009.',
  ],
  ['mutations_per_push', 'Items of a push. Past it: `error` with TOO_LARGE.'],
  ['pushes_in_flight', 'Pushes without an answer. Past it the server stops reading.'],
  ['ping_ms', 'Both sides send a ping after this silence, and end the connection after three times that.'],
  ['hello_ms', 'Time for the hello. Past it: 4005.'],
  ['hello_bytes', 'Bytes of a frame before welcome. Past it: 1009.'],
  ['fragments', 'Fragments of a frame. Past it: 1008.'],
  ['bad_frames', 'Bad frames until the connection closes: 4003.'],
  ['slow_reader_ms', 'Time for a slow reader to catch up. Past it: 4004.'],
  ['scopes', 'Scopes of a connection. Past it: `error` with TOO_LARGE.'],
];

interface OperationWords {
  readonly sends: 'phone' | 'server';
  readonly types: readonly string[];
  readonly answers?: readonly string[];
  readonly summary: string;
}

export const operationWords: Readonly<Record<string, OperationWords>> = {
  begin: { sends: 'phone', types: ['hello'], answers: ['welcome', 'reject'], summary: 'Begins the conversation.' },
  record: {
    sends: 'phone',
    types: ['push'],
    answers: ['ack', 'error'],
    summary: 'Delivers recorded changes. One answer for each push, in order.',
  },
  follow: {
    sends: 'phone',
    types: ['subscribe'],
    answers: ['patch', 'snapshot', 'gone', 'error'],
    summary: 'Follows scopes. One answer for each scope.',
  },
  unfollow: { sends: 'phone', types: ['unsubscribe'], summary: 'Ends subscriptions.' },
  declareLost: { sends: 'phone', types: ['gone'], summary: 'Declares items lost.' },
  reportAlive: { sends: 'phone', types: ['ping'], answers: ['pong'], summary: 'Reports that the phone is alive.' },
  feed: {
    sends: 'server',
    types: ['patch', 'snapshot', 'gone', 'routes', 'timer'],
    summary: 'Sends changes of the followed scopes, by any author.',
  },
  end: {
    sends: 'server',
    types: ['session', 'goodbye', 'error'],
    summary: 'Reports the end of a session or a connection, and bad frames.',
  },
  askAlive: { sends: 'server', types: ['ping'], answers: ['pong'], summary: 'Asks whether the phone is alive.' },
};
