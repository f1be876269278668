// An example of each frame, by sender and type. A test parses each by the schema that reads it on the wire.

interface Example {
  readonly name: string;
  readonly payload: object;
}

const scope = 'route:F01:R100:20261121';
const clock = { now: '2026-11-20T16:02:11.408Z', boot_id: 'c5a1', monotonic_ms: 5814223.6 };
const clientId = '0197b2c4-5d6e-4f70-8a91-b2c3d4e5f607';
const route = { facility: 'F01', id: 'R100', week_end: '20261121' };
const itemId = '0197b2a8-1c2d-7e3f-8a4b-5c6d7e8f9012';
const delivered = {
  id: itemId,
  seq: 18,
  name: 'stop.update',
  version: 1,
  args: { route, stop: { id: 5, updates: { status: 'D' } } },
  captured_at: '2026-11-20T15:31:40.000Z',
  boot_id: 'c5a1',
  monotonic_ms: 3982815.2,
  prev_hash: 'Jx4n0o2vQm3n8t0bq1m6G8xw7eWk5l9c2u3y4z5A6B7',
};
const hello = {
  type: 'hello',
  protocol: 1,
  client_id: clientId,
  device: 'Galaxy Tab Active5',
  employee_id: '1001',
  sdk: 'client-sdk/0.1.0',
  app: 'pod/4.2',
  clock,
};

export const examples: Readonly<Record<string, readonly Example[]>> = {
  'phone.hello': [
    {
      name: 'withToken',
      payload: {
        ...hello,
        api_token: 's3cr3t',
        wants_queue_key: true,
        cursors: { [scope]: { epoch: '1.1', version: 41 }, 'codes:all': null },
        pending: 2,
        oldest_pending_at: '2026-11-20T15:31:40.000Z',
      },
    },
    { name: 'afterSignOut', payload: { ...hello, queue_key: 'q9', pending: 2 } },
  ],
  'phone.push': [{ name: 'oneStop', payload: { type: 'push', mutations: [delivered] } }],
  'phone.subscribe': [
    { name: 'fromSnapshot', payload: { type: 'subscribe', cursors: { [scope]: { epoch: '1.1', version: 44 } } } },
  ],
  'phone.unsubscribe': [{ name: 'oneRoute', payload: { type: 'unsubscribe', scopes: [scope] } }],
  'phone.gone': [
    { name: 'clearedStorage', payload: { type: 'gone', from: 19, to: 21, reason: 'storage was cleared' } },
  ],
  'phone.ping': [
    { name: 'withWork', payload: { type: 'ping', pending: 1, oldest_pending_at: '2026-11-20T15:44:02.000Z' } },
    { name: 'withClock', payload: { type: 'ping', pending: 0, clock } },
  ],
  'phone.pong': [{ name: 'answer', payload: { type: 'pong' } }],
  'server.welcome': [
    {
      name: 'withQueueKey',
      payload: {
        type: 'welcome',
        protocol: 1,
        server_time: '2026-11-20T16:02:11.530Z',
        epoch: '1',
        last_seq: 17,
        queue_key: 'q9',
        limits: { frame_bytes: 1_048_576, mutations_per_push: 256, pushes_in_flight: 4, ping_ms: 5_000 },
        features: ['snapshot', 'http'],
        routes: [{ ...route, scope, status: 'O' }],
      },
    },
  ],
  'server.reject': [
    {
      name: 'invalidToken',
      payload: { type: 'reject', code: 'INVALID_TOKEN', message: 'The token is unknown, expired or signed out.' },
    },
    {
      name: 'later',
      payload: {
        type: 'reject',
        code: 'RATE_LIMITED',
        message: 'Too many requests; wait as Retry-After says.',
        retry_after_ms: 1_240,
      },
    },
  ],
  'server.ack': [
    {
      name: 'applied',
      payload: {
        type: 'ack',
        last_seq: 18,
        results: [{ seq: 18, id: itemId, result: 'applied', version: 44, status: 'D' }],
      },
    },
    {
      name: 'quarantined',
      payload: {
        type: 'ack',
        last_seq: 18,
        results: [
          {
            seq: 18,
            id: itemId,
            result: 'quarantined',
            code: 'STOP_NOT_FOUND',
            reason: 'No such stop on this route.',
          },
        ],
      },
    },
    { name: 'gap', payload: { type: 'ack', last_seq: 16, results: [], wants: 17 } },
  ],
  'server.patch': [
    {
      name: 'oneResult',
      payload: {
        type: 'patch',
        from: 43,
        scope,
        epoch: '1.1',
        to: 44,
        docs: [
          {
            key: 'result/5',
            version: 44,
            value: {
              status: 'D',
              updates: { delivered_by_driver_id: '1001' },
              by: [{ at: 1_795_188_700_121, client: clientId, seq: 18, by: '1001' }],
            },
          },
        ],
        deletes: [],
        hosted_through: 42,
        parked: [],
        awaited: [],
        checksum: 2_769_646_374,
      },
    },
  ],
  'server.snapshot': [{ name: 'farBehind', payload: { type: 'snapshot', scope, epoch: '1.1', version: 44 } }],
  'server.gone': [{ name: 'notAssigned', payload: { type: 'gone', scope, reason: 'NOT_ASSIGNED' } }],
  'server.routes': [{ name: 'oneOpen', payload: { type: 'routes', routes: [{ ...route, scope, status: 'O' }] } }],
  'server.timer': [
    {
      name: 'afterArrival',
      payload: { type: 'timer', scope, autoclose_at: '2026-11-20T16:12:11.530Z', forceclose_at: null },
    },
  ],
  'server.session': [
    { name: 'signedOut', payload: { type: 'session', state: 'revoked', reason: 'signed_out' } },
    { name: 'soon', payload: { type: 'session', state: 'expires', expires_in_s: 3_600 } },
  ],
  'server.goodbye': [{ name: 'restart', payload: { type: 'goodbye', retry_after_ms: 820 } }],
  'server.error': [
    {
      name: 'badFrame',
      payload: {
        type: 'error',
        code: 'BAD_FRAME',
        message: 'The frame is no JSON or fits no known form.',
        details: [{ path: 'mutations', message: 'is required' }],
      },
    },
  ],
  'server.ping': [{ name: 'silence', payload: { type: 'ping' } }],
  'server.pong': [{ name: 'answer', payload: { type: 'pong', server_time: '2026-11-20T16:02:16.533Z' } }],
};
