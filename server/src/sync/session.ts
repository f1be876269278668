import type { Cursor, ErrorCode, ErrorDetail, Scope, ClientFrame, ServerFrameInput } from '@tailgate/sync-protocol';
import { clientScope, closeCodes, currentProtocol, errorCodes, oldestProtocol } from '@tailgate/sync-protocol';
import type { SyncLimits } from './limits.ts';
import { error, pong, welcome } from './session-frames.ts';
import type {
  Arrival,
  Bound,
  Closed,
  Effect,
  AwaitingHello,
  Live,
  Opening,
  RejectFacts,
  Session,
  SessionEvent,
  Settling,
  Step,
  Stopping,
} from './session-types.ts';
import type { Ignored, OpenEvent } from './transitions.ts';

/**
 * One connection as a pure state machine: `step` returns the next state and the effects, and performs none of them.
 *
 *   greeting ──hello──► opening ──opened──► live ──gone──► settling ──settled──► live
 *      │                   └──refused──┐      ├──stopping──► stopping ──last answer──► closed
 *      └── no hello, bad frames ───────┴──────┴── silent, slow, bad frames ──► closed
 *
 * `revoked` leaves a session live with the rights of a queue key. The socket is paused while the session is opening,
 * settling or stopping, has too many pushes in flight, or sends to a congested socket. Frames that the server had read
 * by then stay in `waiting`, at most one chunk of the network.
 */
export const newSession = (now: number): Session => ({ phase: 'greeting', since: now, faults: 0 });

/** Whether the hello was accepted and the connection is still open. */
export const isBound = ({ phase }: Session): boolean =>
  phase === 'live' || phase === 'settling' || phase === 'stopping';

export function step(session: Session, event: SessionEvent, limits: SyncLimits): Step {
  let next = move(session, event, limits);
  // Waiting frames are read in order, as soon as the state allows it.
  while (next.session.phase === 'live') {
    const [arrival, ...waiting] = next.session.waiting;
    if (!arrival || mustWait(next.session, arrival)) break;
    next = then(next, receive({ ...next.session, waiting }, arrival, limits));
  }
  const paused = isPaused(session, limits);
  if (next.session.phase === 'closed' || paused === isPaused(next.session, limits)) return next;
  return { session: next.session, effects: [...next.effects, { do: paused ? 'resume' : 'pause' }] };
}

function move(session: Session, event: SessionEvent, limits: SyncLimits): Step {
  if (session.phase === 'closed') return stay(session);
  if (event.type === 'closed') return { session: closed, effects: [{ do: 'leave' }] };
  if (event.type === 'stopping') return onStopping(session, event.retryAfterMs);
  switch (session.phase) {
    case 'greeting':
      return whileAwaitingHello(session, event, limits);
    case 'opening':
      return whileOpening(session, event, limits);
    case 'live':
      return whileLive(session, event, limits);
    case 'settling':
      return whileSettling(session, event, limits);
    default:
      return whileStopping(session, event, limits);
  }
}

/** Answers the pushes in flight first, if there are any. */
function onStopping(session: AwaitingHello | Opening | Bound, retryAfterMs: number): Step {
  const owesAnswers = 'inFlight' in session && session.inFlight > 0;
  return owesAnswers ? stay({ ...session, phase: 'stopping', retryAfterMs }) : closing(retryAfterMs);
}

function whileAwaitingHello(session: AwaitingHello, event: OpenEvent, limits: SyncLimits): Step {
  switch (event.type) {
    case 'tick':
      return event.now - session.since > limits.hello_ms ? close(closeCodes.silent, 'no hello came') : stay(session);
    case 'broken':
      return fault(session, event.code, event.details, limits);
    case 'congested':
      // The client sent thousands of pings and read no answer.
      return tooSlow();
    case 'frame':
      return handleFirstFrame(session, event.frame, event.now, limits);
    default:
      return ignore(session, event satisfies Ignored<'greeting'>);
  }
}

function handleFirstFrame(session: AwaitingHello, frame: ClientFrame, now: number, limits: SyncLimits): Step {
  // A phone on plain HTTP checks with a ping whether sockets pass again, before its hello.
  if (frame.type === 'ping') return send(session, pong(now));
  if (frame.type !== 'hello')
    return fault(session, 'BAD_FRAME', [{ path: 'type', message: 'the first frame must be hello' }], limits);
  if (frame.protocol < oldestProtocol || frame.protocol > currentProtocol)
    return reject(
      'UNSUPPORTED_PROTOCOL',
      `this server speaks protocol ${oldestProtocol} to ${currentProtocol}, not ${frame.protocol}`,
    );
  if ((frame.api_token === undefined) === (frame.queue_key === undefined))
    return reject('MISSING_CREDENTIALS', 'hello needs exactly one of api_token and queue_key');
  // PostgreSQL writes UUIDs in lower case, and scopes are compared as text.
  const hello = { ...frame, client_id: frame.client_id.toLowerCase() };
  return { session: { phase: 'opening', hello, waiting: [], routes: null }, effects: [{ do: 'open', hello }] };
}

function whileOpening(session: Opening, event: OpenEvent, limits: SyncLimits): Step {
  const { hello } = session;
  switch (event.type) {
    case 'frame':
    case 'broken':
      return stay({ ...session, waiting: [...session.waiting, event] });
    case 'refused':
      return reject(event.code, errorCodes[event.code].meaning, event);
    case 'opened': {
      const live: Live = {
        phase: 'live',
        clientId: hello.client_id,
        rights: hello.queue_key === undefined ? 'all' : 'queue',
        follows: [],
        inFlight: 0,
        waiting: session.waiting,
        faults: 0,
        receivedAt: event.now,
        pingedAt: event.now,
        congestedSince: null,
      };
      const routes = session.routes ?? event.opened.routes;
      const effects: Effect[] = [
        { do: 'send', frame: welcome({ ...event.opened, routes }, hello.protocol, limits) },
        { do: 'note', report: hello },
      ];
      return then({ session: live, effects }, follow(live, hello.cursors, limits));
    }
    case 'routes':
      return stay({ ...session, routes: event.routes });
    case 'revoked':
      return reject('INVALID_TOKEN', 'the session has just ended', event);
    default:
      return ignore(session, event satisfies Ignored<'opening'>);
  }
}

function whileLive(session: Live, event: OpenEvent, limits: SyncLimits): Step {
  switch (event.type) {
    case 'frame':
    case 'broken':
    case 'unknown':
      return session.waiting.length > 0 || mustWait(session, event)
        ? wait(session, event)
        : receive(session, event, limits);
    case 'settled':
    case 'unsettled':
      return ignore(session, event satisfies Ignored<'live'>);
    default:
      return whileBound(session, event, limits);
  }
}

function whileSettling(session: Settling, event: OpenEvent, limits: SyncLimits): Step {
  switch (event.type) {
    case 'frame':
    case 'broken':
    case 'unknown':
      return wait(session, event);
    case 'settled': {
      const live: Live = { ...session, phase: 'live', receivedAt: event.now };
      return event.details.length > 0 ? fault(live, 'BAD_FRAME', event.details, limits) : stay(live);
    }
    case 'unsettled':
      return close(tryAgainLater, 'the database cannot be reached now');
    case 'answered':
    case 'unanswered':
      return ignore(session, event satisfies Ignored<'settling'>);
    default:
      return whileBound(session, event, limits);
  }
}

/** A stopping server answers the pushes in flight and reads no other frame. */
function whileStopping(session: Stopping, event: OpenEvent, limits: SyncLimits): Step {
  switch (event.type) {
    case 'frame':
    case 'broken':
    case 'unknown':
      return wait(session, event);
    case 'settled':
    case 'unsettled':
      return ignore(session, event satisfies Ignored<'stopping'>);
    case 'answered':
    case 'unanswered': {
      const after = whileBound(session, event, limits);
      const isLast = after.session.phase === 'stopping' && after.session.inFlight === 0;
      return isLast ? then(after, closing(session.retryAfterMs)) : after;
    }
    default:
      return whileBound(session, event, limits);
  }
}

/** Events that mean the same in every state after the hello. */
function whileBound(session: Bound, event: BoundEvent, limits: SyncLimits): Step {
  switch (event.type) {
    case 'answered':
      return send(answered(session, event.now), { type: 'ack', ...event.answer });
    case 'unanswered': {
      const after = answered(session, event.now);
      if (errorCodes[event.code].retry === 'final') return fault(after, event.code, event.details, limits);
      return send(after, error(event.code, event.details));
    }
    case 'unbound':
      return close(tryAgainLater, 'this queue is not known any more: say hello again');
    case 'revoked':
      if (session.rights === 'queue') return stay(session);
      return {
        session: { ...session, rights: 'queue', follows: [] },
        effects: [{ do: 'send', frame: { type: 'session', state: 'revoked', reason: event.reason } }, { do: 'leave' }],
      };
    case 'routes':
      return session.rights === 'all' ? send(session, { type: 'routes', routes: [...event.routes] }) : stay(session);
    case 'expires':
      return send(session, { type: 'session', state: 'expires', expires_in_s: event.inSeconds });
    case 'congested':
      return stay({ ...session, congestedSince: session.congestedSince ?? event.now });
    case 'drained':
      return stay({ ...session, congestedSince: null, receivedAt: event.now });
    case 'tick':
      return onTick(session, event.now, limits);
    default:
      return ignore(session, event satisfies Ignored<'live' | 'settling' | 'stopping'>);
  }
}

type BoundEvent = Exclude<OpenEvent, Arrival | { type: 'settled' | 'unsettled' }>;

/** `transitions` names the events that a state ignores. */
const ignore = (session: Session, _event: SessionEvent): Step => stay(session);

const wait = (session: Bound, arrival: Arrival): Step => stay({ ...session, waiting: [...session.waiting, arrival] });

function receive(session: Live, arrival: Arrival, limits: SyncLimits): Step {
  const next = { ...session, receivedAt: arrival.now };
  if (arrival.type === 'unknown') return stay(next);
  if (arrival.type === 'broken') return fault(next, arrival.code, arrival.details, limits);
  return handleFrame(next, arrival.frame, arrival.now, limits);
}

/** A declared loss begins after the pushed items, so the server answers all pushes first. */
const mustWait = ({ inFlight }: Live, arrival: Arrival): boolean =>
  arrival.type === 'frame' && arrival.frame.type === 'gone' && inFlight > 0;

/** Handles a frame of a live session. A frame without a rule fails to compile; no rule is the default. */
function handleFrame(session: Live, frame: ClientFrame, now: number, limits: SyncLimits): Step {
  switch (frame.type) {
    case 'hello':
      return fault(session, 'BAD_FRAME', [{ path: 'type', message: 'hello was said before' }], limits);
    case 'push': {
      const { length } = frame.mutations;
      const max = limits.mutations_per_push;
      const wrong = (message: string) => [{ path: 'mutations', message }];
      if (length === 0) return fault(session, 'BAD_FRAME', wrong('must not be empty'), limits);
      if (length > max) return fault(session, 'TOO_LARGE', wrong(`${length} in one push, at most ${max}`), limits);
      return {
        session: { ...session, inFlight: session.inFlight + 1 },
        effects: [{ do: 'push', items: frame.mutations }],
      };
    }
    case 'subscribe':
      return follow(session, frame.cursors, limits);
    case 'unsubscribe':
      return {
        session: { ...session, follows: session.follows.filter((scope) => !frame.scopes.includes(scope)) },
        effects: frame.scopes.map((scope) => ({ do: 'unfollow', scope })),
      };
    case 'gone': {
      const { from, to, reason } = frame;
      if (to < from) return fault(session, 'BAD_FRAME', [{ path: 'to', message: 'must not be below from' }], limits);
      // The next push counts from the new watermark, so no frame is read until the watermark has moved.
      return { session: { ...session, phase: 'settling' }, effects: [{ do: 'skip', from, to, reason }] };
    }
    case 'ping':
      return {
        session,
        effects: [
          { do: 'send', frame: pong(now) },
          { do: 'note', report: frame },
        ],
      };
    case 'pong':
      return stay(session); // `receive` has already renewed `receivedAt`
    default:
      throw new Error('there is no rule for this frame', { cause: frame satisfies never });
  }
}

function follow(session: Live, cursors: Readonly<Record<Scope, Cursor | null>>, limits: SyncLimits): Step {
  const entries = Object.entries(cursors);
  const follows = [...new Set([...session.follows, ...Object.keys(cursors)])];
  if (follows.length > limits.scopes)
    return fault(
      session,
      'TOO_LARGE',
      [{ path: 'cursors', message: `${follows.length} scopes, at most ${limits.scopes}` }],
      limits,
    );
  const own = clientScope(session.clientId);
  const effects = entries.map(([scope, cursor]): Effect =>
    session.rights === 'all' || scope === own
      ? { do: 'follow', scope, cursor }
      : { do: 'send', frame: { type: 'gone', scope, reason: 'INVALID_TOKEN' } },
  );
  return { session: { ...session, follows }, effects };
}

/** Pings a silent client, closes a connection that stays silent, and cuts one that reads too slowly for too long. */
function onTick(session: Bound, now: number, limits: SyncLimits): Step {
  const { congestedSince, receivedAt, pingedAt } = session;
  if (congestedSince !== null && now - congestedSince > limits.slow_reader_ms) return tooSlow();
  // A paused socket delivers no frame, so its silence means nothing.
  if (isPaused(session, limits)) return stay(session);
  const silence = now - receivedAt;
  if (silence > 3 * limits.ping_ms)
    return close(closeCodes.silent, `nothing was heard for ${Math.round(silence / 1_000)} s`);
  if (silence <= limits.ping_ms || now - pingedAt <= limits.ping_ms) return stay(session);
  return send({ ...session, pingedAt: now }, { type: 'ping' });
}

function isPaused(session: Session, limits: SyncLimits): boolean {
  switch (session.phase) {
    case 'greeting':
    case 'closed':
      return false;
    case 'opening':
    case 'settling':
    case 'stopping':
      return true;
    default: {
      const { waiting, congestedSince, inFlight } = session satisfies Live;
      return waiting.length > 0 || congestedSince !== null || inFlight >= limits.pushes_in_flight;
    }
  }
}

const answered = (session: Bound, now: number): Bound => ({
  ...session,
  inFlight: session.inFlight - 1,
  receivedAt: now,
});

/** Answers a bad frame with `error`, and closes the connection after several of them. */
function fault(
  session: AwaitingHello | Bound,
  code: ErrorCode,
  details: readonly ErrorDetail[],
  limits: SyncLimits,
): Step {
  const faults = session.faults + 1;
  const answer = send({ ...session, faults }, error(code, details));
  return faults < limits.bad_frames
    ? answer
    : then(answer, close(closeCodes.badFrames, `${faults} bad frames: ${code}`));
}

function reject(code: ErrorCode, message: string, { reason, retryAfterMs }: RejectFacts = {}): Step {
  const frame: ServerFrameInput = {
    type: 'reject',
    code,
    message,
    ...(reason !== undefined && { reason }),
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  };
  return then(send(closed, frame), close(closeCodes.rejected, code));
}

function close(code: number, reason: string): Step {
  return { session: { phase: 'closed' }, effects: [{ do: 'leave' }, { do: 'close', code, reason }] };
}

const tooSlow = (): Step => close(closeCodes.slowReader, errorCodes.SLOW_READER.meaning);

/** The phone may reconnect to this node or to another one after `retryAfterMs`. */
const closing = (retryAfterMs: number): Step =>
  then(
    send(closed, { type: 'goodbye', retry_after_ms: retryAfterMs }),
    close(closeCodes.goingAway, 'the server is stopping'),
  );
const send = (session: Session, frame: ServerFrameInput): Step => ({ session, effects: [{ do: 'send', frame }] });
const stay = (session: Session): Step => ({ session, effects: [] });
const then = (first: Step, second: Step): Step => ({
  session: second.session,
  effects: [...first.effects, ...second.effects],
});

const closed: Closed = { phase: 'closed' };
/** Try Again Later, from the registry of RFC 6455: the client did nothing wrong. */
const tryAgainLater = 1013;
