import { randomUUID } from 'node:crypto';
import type { ClientFrameInput } from '@tailgate/sync-protocol';
import { clientFrame } from '@tailgate/sync-protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { syncLimits } from '../../../server/src/sync/limits.ts';
import { newSession, step } from '../../../server/src/sync/session.ts';
import type { Effect, Session, SessionEvent } from '../../../server/src/sync/session-types.ts';
import { transitions } from '../../../server/src/sync/transitions.ts';

const hello: ClientFrameInput = {
  type: 'hello',
  protocol: 1,
  client_id: randomUUID(),
  device: 'd',
  employee_id: '1001',
  api_token: 't',
  sdk: 's',
  app: 'a',
  clock: { now: '', boot_id: 'b', monotonic_ms: 0 },
};
const frame = (input: ClientFrameInput, now = 0): SessionEvent => ({
  type: 'frame',
  frame: clientFrame.parse(input),
  now,
});
const push = (...items: unknown[]) => frame({ type: 'push', mutations: items });
const gone = frame({ type: 'gone', from: 2, to: 4, reason: 'evicted' });
const opened: SessionEvent = {
  type: 'opened',
  now: 0,
  opened: { serverTime: '', epoch: '1', lastSeq: 0, queueKey: null, routes: [] },
};
const answered: SessionEvent = { type: 'answered', now: 0, answer: { last_seq: 1, results: [] } };
const settled: SessionEvent = { type: 'settled', details: [], now: 0 };
const tick = (now: number): SessionEvent => ({ type: 'tick', now });

/** Plays events and returns the actions in short form. */
function play(events: readonly SessionEvent[], from: Session = newSession(0)): { session: Session; done: string[] } {
  let session = from;
  const done: string[] = [];
  for (const event of events) {
    const next = step(session, event, syncLimits);
    session = next.session;
    done.push(...next.effects.map(nameOf));
  }
  return { session, done };
}

function nameOf(effect: Effect): string {
  if (effect.do === 'send') return `send ${effect.frame.type}`;
  if (effect.do === 'push') return `push ${effect.items.join(',')}`;
  if (effect.do === 'close') return `close ${effect.code}`;
  if (effect.do === 'skip') return `skip ${effect.from}-${effect.to}`;
  return effect.do;
}

const live = play([frame(hello), opened]).session;

describe('a connection', () => {
  test('reads nothing while its hello is checked; frames that were read already wait, in order', () => {
    const { done } = play([frame(hello), push('a'), frame({ type: 'ping' }), opened]);
    expect(done).toEqual(['open', 'pause', 'send welcome', 'note', 'push a', 'send pong', 'note', 'resume']);
  });

  test('is rejected where the session ended during the check of its hello', () => {
    expect(play([frame(hello), { type: 'revoked', reason: 'evicted' }, opened]).done).toEqual([
      'open',
      'pause',
      'send reject',
      'leave',
      'close 4001',
    ]);
  });

  test('pauses at the limit of pushes in flight and resumes below it', () => {
    const pushes = ['a', 'b', 'c', 'd'].map((item) => push(item));
    expect(play([...pushes, answered], live).done).toEqual([
      'push a',
      'push b',
      'push c',
      'push d',
      'pause',
      'send ack',
      'resume',
    ]);
  });

  test('settles earlier pushes before it accepts a declared loss, and no later push precedes it', () => {
    const { done } = play([push('a'), gone, push('b'), answered, settled], live);
    expect(done).toEqual(['push a', 'pause', 'send ack', 'skip 2-4', 'push b', 'resume']);
  });

  test('closes if the watermark could not be moved; the phone then sends hello again', () => {
    expect(play([gone, { type: 'unsettled' }], live).done).toEqual(['skip 2-4', 'pause', 'leave', 'close 1013']);
  });

  test('of a revoked queue may push and read its own answers, nothing else', () => {
    const own = `client:${hello.client_id}`;
    const subscribe = frame({ type: 'subscribe', cursors: { 'codes:all': null, [own]: null } });
    expect(play([{ type: 'revoked', reason: 'evicted' }, subscribe, push('a')], live).done).toEqual([
      'send session',
      'leave',
      'send gone',
      'follow',
      'push a',
    ]);
  });

  test('answers its accepted frames when the server stops, and accepts no more', () => {
    const { done } = play([push('a'), { type: 'stopping', retryAfterMs: 1_000 }, push('b'), answered], live);
    expect(done).toEqual(['push a', 'pause', 'send ack', 'send goodbye', 'leave', 'close 1001']);
  });

  test('that ends with the server closes after its last push, even a refused one', () => {
    const refused: SessionEvent = { type: 'unanswered', code: 'BAD_FRAME', details: [], now: 0 };
    const { done } = play([push('a'), { type: 'stopping', retryAfterMs: 1_000 }, refused], live);
    expect(done).toEqual(['push a', 'pause', 'send error', 'send goodbye', 'leave', 'close 1001']);
  });

  test('that reads no frames is not read from, and is cut off after a while', () => {
    const { done, session } = play([{ type: 'congested', now: 0 }, tick(29_000)], live);
    expect(done).toEqual(['pause']);
    expect(play([{ type: 'drained', now: 29_500 }, tick(31_000)], session).done).toEqual(['resume']);
    expect(play([tick(30_001)], session).done).toEqual(['leave', 'close 4004']);
  });

  test('that requests without reading answers before authentication is disconnected immediately', () => {
    expect(play([frame({ type: 'ping' }), { type: 'congested', now: 0 }]).done).toEqual([
      'send pong',
      'leave',
      'close 4004',
    ]);
  });

  test('is not idle while the server has paused reading', () => {
    const { session } = play(
      ['a', 'b', 'c', 'd'].map((item) => push(item)),
      live,
    );
    expect(play([tick(60_000), { ...answered, now: 60_000 }, tick(61_000)], session).done).toEqual([
      'send ack',
      'resume',
    ]);
  });

  test('answers a transient failure with an error, without counting it as a fault', () => {
    const failed: SessionEvent = { type: 'unanswered', code: 'DATABASE_UNAVAILABLE', details: [], now: 0 };
    const many = Array.from({ length: 9 }, () => [push('a'), failed]).flat();
    expect(play(many, live).done.filter((each) => each === 'send error')).toHaveLength(9);
    expect(play(many, live).session.phase).toBe('live');
  });
});

describe('the table of transitions', () => {
  const broken: SessionEvent = { type: 'broken', code: 'BAD_FRAME', details: [], now: 0 };
  const fault: SessionEvent = { type: 'settled', details: [{ path: 'from', message: '' }], now: 0 };
  const unanswered: SessionEvent = { type: 'unanswered', code: 'DATABASE_UNAVAILABLE', details: [], now: 0 };
  const unanswerable: SessionEvent = { type: 'unanswered', code: 'BAD_FRAME', details: [], now: 0 };
  const congested: SessionEvent = { type: 'congested', now: 0 };
  const stopping: SessionEvent = { type: 'stopping', retryAfterMs: 1_000 };
  const late = tick(10_000_000);
  const frames: Record<ClientFrameInput['type'], readonly SessionEvent[]> = {
    hello: [frame(hello), frame({ ...hello, protocol: 99 })],
    push: [push(1)],
    subscribe: [frame({ type: 'subscribe', cursors: { 'codes:all': null } })],
    unsubscribe: [frame({ type: 'unsubscribe', scopes: ['codes:all'] })],
    gone: [gone],
    ping: [frame({ type: 'ping' })],
    pong: [frame({ type: 'pong' })],
  };
  /** Each type in the variants that may lead to different states. */
  const events: Record<SessionEvent['type'], readonly SessionEvent[]> = {
    frame: Object.values(frames).flat(),
    broken: [broken],
    unknown: [{ type: 'unknown', now: 1 }],
    opened: [opened],
    refused: [{ type: 'refused', code: 'INVALID_TOKEN' }],
    answered: [answered],
    unanswered: [unanswered, unanswerable],
    settled: [settled, fault],
    unsettled: [{ type: 'unsettled' }],
    unbound: [{ type: 'unbound' }],
    revoked: [{ type: 'revoked', reason: 'evicted' }],
    expires: [{ type: 'expires', inSeconds: 1 }],
    routes: [{ type: 'routes', routes: [] }],
    congested: [congested],
    drained: [{ type: 'drained', now: 1 }],
    tick: [late, tick(syncLimits.ping_ms + 1)],
    stopping: [stopping],
    closed: [{ type: 'closed' }],
  };
  const after = (...more: readonly SessionEvent[]): Session => play([frame(hello), opened, ...more]).session;
  const worn = Array.from({ length: syncLimits.bad_frames - 1 }, () => broken);
  /** Each state in the variants that may continue differently: faults so far, waiting frames, pushes in flight. */
  const sessions: Record<Session['phase'], readonly Session[]> = {
    greeting: [newSession(0), play(worn).session],
    opening: [
      play([frame(hello)]).session,
      play([frame(hello), gone]).session,
      play([frame(hello), ...worn, broken]).session,
    ],
    live: [
      live,
      after(...worn),
      after(push(1)),
      after(push(1), push(2), gone),
      after(push(1), gone),
      after(...worn, push(1), gone, broken),
      after(...worn, push(1)),
      after(push(1), frame({ type: 'ping' }), congested),
    ],
    settling: [after(gone), after(gone, gone), after(...worn, gone), after(gone, congested)],
    stopping: [
      after(push(1), stopping),
      after(push(1), push(2), stopping),
      after(push(1), congested, stopping),
      after(...worn, push(1), push(2), stopping),
    ],
    closed: [play([{ type: 'closed' }]).session],
  };

  test('answers each type of frame of a live connection by its own rule', () => {
    const done = Object.entries(frames).map(([type, sent]) => [
      type,
      sent.slice(0, 1).flatMap((each) => play([each], live).done),
    ]);
    expect(Object.fromEntries(done)).toEqual({
      hello: ['send error'],
      push: ['push 1'],
      subscribe: ['follow'],
      unsubscribe: ['unfollow'],
      gone: ['skip 2-4', 'pause'],
      ping: ['send pong', 'note'],
      pong: [],
    });
  });

  test('has each transition of the connection, and no others', () => {
    for (const [phase, variants] of Object.entries(sessions))
      for (const each of variants) expect(each.phase, 'a variant of its own state').toBe(phase);
    const seen = Object.fromEntries(
      Object.entries(sessions).map(([phase, variants]) => {
        const reached = Object.entries(events).map(([type, sent]) => {
          const steps = variants.flatMap((from) => sent.map((event) => ({ from, ...step(from, event, syncLimits) })));
          const acting = steps.filter(({ from, session, effects }) => session !== from || effects.length > 0);
          return [type, new Set(acting.map(({ session }) => session.phase))];
        });
        return [phase, Object.fromEntries(reached)];
      }),
    );
    const table: Record<string, Record<string, readonly string[]>> = transitions;
    const expected = Object.fromEntries(
      Object.entries(table).map(([phase, row]) => [
        phase,
        Object.fromEntries(Object.entries(row).map(([type, next]) => [type, new Set(next)])),
      ]),
    );
    expect(seen).toEqual(expected);
  });
});

describe('for every sequence of events', () => {
  const anything: fc.Arbitrary<SessionEvent> = fc.oneof(
    fc.constantFrom<SessionEvent>(
      frame(hello),
      opened,
      answered,
      settled,
      gone,
      frame({ type: 'ping' }),
      frame({ type: 'pong' }),
      frame({ type: 'subscribe', cursors: { 'codes:all': null } }),
      frame({ type: 'unsubscribe', scopes: ['codes:all'] }),
      { type: 'unknown', now: 0 },
      { type: 'unsettled' },
      { type: 'revoked', reason: 'evicted' },
      { type: 'routes', routes: [] },
      { type: 'congested', now: 0 },
      { type: 'drained', now: 0 },
      { type: 'stopping', retryAfterMs: 1_000 },
      { type: 'closed' },
      { type: 'refused', code: 'INVALID_TOKEN' },
      { type: 'unanswered', code: 'DATABASE_UNAVAILABLE', details: [], now: 0 },
      { type: 'broken', code: 'BAD_FRAME', details: [], now: 0 },
    ),
    fc.nat(99).map((item) => push(item)),
    fc.nat(60_000).map(tick),
  );

  test('executes pushes once each and in order, alternates pause and resume, and does nothing after a close', () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 60 }), (events) => {
        const { done } = play([frame(hello), opened, ...events]);
        const flow = done.filter((each) => each === 'pause' || each === 'resume');
        flow.forEach((each, i) => expect(each).toBe(i % 2 === 0 ? 'pause' : 'resume'));
        const end = done.findIndex((each) => each.startsWith('close'));
        expect(end === -1 ? [] : done.slice(end + 1)).toEqual([]);
        const sent = events.flatMap((event) =>
          event.type === 'frame' && event.frame.type === 'push' ? event.frame.mutations : [],
        );
        const carried = done.filter((each) => each.startsWith('push ')).map((each) => Number(each.slice(5)));
        expect(carried).toEqual(sent.slice(0, carried.length));
      }),
      { numRuns: 2_000 },
    );
  });
});
