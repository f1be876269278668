import type { Cursor, ErrorCode, ErrorDetail, Scope, ClientFrame, ServerFrameInput } from '@tailgate/sync-protocol';
import { clientScope, closeCodes, currentProtocol, errorCodes, oldestProtocol } from '@tailgate/sync-protocol';
import { features, toldLimits, type SyncLimits } from './limits.ts';
import type {
  Arrival,
  Closed,
  Effect,
  Greeting,
  Live,
  Opened,
  Opening,
  Session,
  SessionEvent,
  Step,
} from './session-types.ts';

/**
 * One connection, as values. Nothing here does anything: `step` says what is to be done.
 *
 *   greeting ──hello──► opening ──opened──► live ──revoked──► live, rights `queue`
 *      │                   └──refused──┐      ├──gone──► live, settling ──settled──► live
 *      └── no hello, bad frames ───────┴──────┴── silent, slow, bad frames ──► closed
 *
 * While `opening` or `settling`, with too many pushes in flight, or while the socket takes no more frames, nothing is
 * read from it; what was read already waits in `waiting`, a chunk of the network's at most.
 */
export const newSession = (now: number): Session => ({ phase: 'greeting', since: now, faults: 0 });

export function step(session: Session, event: SessionEvent, limits: SyncLimits): Step {
  let next = move(session, event, limits);
  // What waited is taken as soon as nothing stands in its way any more, in order.
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
  if (event.type === 'stopping' && (session.phase !== 'live' || session.inFlight === 0)) return closing(event);
  switch (session.phase) {
    case 'greeting':
      return whileGreeting(session, event, limits);
    case 'opening':
      return whileOpening(session, event, limits);
    default:
      return whileLive(session, event, limits);
  }
}

function whileGreeting(session: Greeting, event: SessionEvent, limits: SyncLimits): Step {
  if (event.type === 'tick')
    return event.now - session.since > limits.hello_ms ? close(closeCodes.silent, 'no hello came') : stay(session);
  // How a phone on plain HTTP finds out that sockets pass again: it asks before it says who it is.
  if (event.type === 'frame' && event.frame.type === 'ping') return send(session, pong(event.now));
  if (event.type === 'broken') return fault(session, event.code, event.details, limits);
  // It asked thousands of times and has read no answer.
  if (event.type === 'congested') return tooSlow();
  if (event.type !== 'frame') return stay(session);
  const { frame } = event;
  if (frame.type !== 'hello')
    return fault(session, 'BAD_FRAME', [{ path: 'type', message: 'the first frame must be hello' }], limits);
  if (frame.protocol < oldestProtocol || frame.protocol > currentProtocol)
    return reject(
      'UNSUPPORTED_PROTOCOL',
      `this server speaks protocol ${oldestProtocol} to ${currentProtocol}, not ${frame.protocol}`,
    );
  if ((frame.api_token === undefined) === (frame.queue_key === undefined))
    return reject('MISSING_CREDENTIALS', 'hello needs exactly one of api_token and queue_key');
  // As PostgreSQL writes it: scopes are compared by their text.
  const hello = { ...frame, client_id: frame.client_id.toLowerCase() };
  return { session: { phase: 'opening', hello, waiting: [], routes: null }, effects: [{ do: 'open', hello }] };
}

function whileOpening(session: Opening, event: SessionEvent, limits: SyncLimits): Step {
  const { hello } = session;
  switch (event.type) {
    case 'frame':
    case 'broken':
      return stay({ ...session, waiting: [...session.waiting, event] });
    case 'refused':
      return reject(event.code, errorCodes[event.code].meaning, event.retryAfterMs);
    case 'opened': {
      const live: Live = {
        phase: 'live',
        clientId: hello.client_id,
        rights: hello.queue_key === undefined ? 'all' : 'queue',
        follows: [],
        inFlight: 0,
        settling: false,
        stopping: null,
        waiting: session.waiting,
        faults: 0,
        heardAt: event.now,
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
      return reject('INVALID_TOKEN', 'the session has just ended');
    default:
      return stay(session);
  }
}

function whileLive(session: Live, event: SessionEvent, limits: SyncLimits): Step {
  switch (event.type) {
    case 'frame':
    case 'broken':
    case 'unknown':
      if (session.waiting.length > 0 || mustWait(session, event))
        return stay({ ...session, waiting: [...session.waiting, event] });
      return receive(session, event, limits);
    case 'answered':
      return afterAnswer(send(answered(session, event.now), { type: 'ack', ...event.answer }));
    case 'unanswered': {
      const after = answered(session, event.now);
      if (errorCodes[event.code].retry === 'final') return fault(after, event.code, event.details, limits);
      return afterAnswer(send(after, error(event.code, event.details)));
    }
    case 'stopping':
      return stay({ ...session, stopping: event });
    case 'settled':
      return settled({ ...session, settling: false, heardAt: event.now }, event.details, limits);
    case 'unsettled':
      return close(tryAgainLater, 'the database cannot be reached now');
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
      return stay({ ...session, congestedSince: null, heardAt: event.now });
    case 'tick':
      return whenTime(session, event.now, limits);
    default:
      return stay(session);
  }
}

function receive(session: Live, arrival: Arrival, limits: SyncLimits): Step {
  const heard = { ...session, heardAt: arrival.now };
  if (arrival.type === 'unknown') return stay(heard);
  if (arrival.type === 'broken') return fault(heard, arrival.code, arrival.details, limits);
  return take(heard, arrival.frame, arrival.now, limits);
}

/** What a phone says it has lost begins after what it has pushed, so that all of that must be answered first. */
function mustWait(session: Live, arrival: Arrival): boolean {
  if (session.settling || session.stopping !== null) return true;
  return arrival.type === 'frame' && arrival.frame.type === 'gone' && session.inFlight > 0;
}

/** A frame of a live session. */
function take(session: Live, frame: ClientFrame, now: number, limits: SyncLimits): Step {
  switch (frame.type) {
    case 'hello':
      return fault(session, 'BAD_FRAME', [{ path: 'type', message: 'hello was said before' }], limits);
    case 'push': {
      const { length } = frame.mutations;
      const most = limits.mutations_per_push;
      const wrong = (message: string) => [{ path: 'mutations', message }];
      if (length === 0) return fault(session, 'BAD_FRAME', wrong('must not be empty'), limits);
      if (length > most) return fault(session, 'TOO_LARGE', wrong(`${length} in one push, at most ${most}`), limits);
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
      // Nothing is taken until the watermark has moved: the push that follows counts from there.
      return { session: { ...session, settling: true }, effects: [{ do: 'skip', from, to, reason }] };
    }
    case 'ping':
      return {
        session,
        effects: [
          { do: 'send', frame: pong(now) },
          { do: 'note', report: frame },
        ],
      };
    default:
      return stay(session); // a pong: it was heard
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

/** Silence closes, half-way there we ask; whoever reads too slowly for too long is cut off. */
function whenTime(session: Live, now: number, limits: SyncLimits): Step {
  const { congestedSince, heardAt, pingedAt } = session;
  if (congestedSince !== null && now - congestedSince > limits.slow_reader_ms) return tooSlow();
  // What we do not read we cannot hear.
  if (isPaused(session, limits)) return stay(session);
  const silence = now - heardAt;
  if (silence > 3 * limits.ping_ms)
    return close(closeCodes.silent, `nothing was heard for ${Math.round(silence / 1_000)} s`);
  if (silence <= limits.ping_ms || now - pingedAt <= limits.ping_ms) return stay(session);
  return send({ ...session, pingedAt: now }, { type: 'ping' });
}

function isPaused(session: Session, limits: SyncLimits): boolean {
  if (session.phase === 'opening') return true;
  if (session.phase !== 'live') return false;
  return (
    session.settling ||
    session.stopping !== null ||
    session.waiting.length > 0 ||
    session.congestedSince !== null ||
    session.inFlight >= limits.pushes_in_flight
  );
}

const settled = (session: Live, details: readonly ErrorDetail[], limits: SyncLimits): Step =>
  details.length > 0 ? fault(session, 'BAD_FRAME', details, limits) : stay(session);

const answered = (session: Live, now: number): Live => ({ ...session, inFlight: session.inFlight - 1, heardAt: now });

/** A server that stops answers what it has taken, and nothing more. */
const afterAnswer = (told: Step): Step =>
  told.session.phase === 'live' && told.session.stopping !== null && told.session.inFlight === 0
    ? then(told, closing(told.session.stopping))
    : told;

const welcome = (opened: Opened, protocol: number, limits: SyncLimits): ServerFrameInput => ({
  type: 'welcome',
  protocol,
  server_time: opened.serverTime,
  epoch: opened.epoch,
  last_seq: opened.lastSeq,
  ...(opened.queueKey === null ? {} : { queue_key: opened.queueKey }),
  limits: toldLimits(limits),
  features: [...features],
  routes: [...opened.routes],
});

/** One `error` for a bad frame; repeated, the connection is closed. */
function fault(session: Greeting | Live, code: ErrorCode, details: readonly ErrorDetail[], limits: SyncLimits): Step {
  const faults = session.faults + 1;
  const told = send({ ...session, faults }, error(code, details));
  return faults < limits.bad_frames ? told : then(told, close(closeCodes.badFrames, `${faults} bad frames: ${code}`));
}

const pong = (now: number): ServerFrameInput => ({ type: 'pong', server_time: new Date(now).toISOString() });

const error = (code: ErrorCode, details: readonly ErrorDetail[]): ServerFrameInput => ({
  type: 'error',
  code,
  message: errorCodes[code].meaning,
  details: [...details],
});

function reject(code: ErrorCode, message: string, retryAfterMs?: number): Step {
  const frame: ServerFrameInput = {
    type: 'reject',
    code,
    message,
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
  };
  return then(send(closed, frame), close(closeCodes.rejected, code));
}

function close(code: number, reason: string): Step {
  return { session: { phase: 'closed' }, effects: [{ do: 'leave' }, { do: 'close', code, reason }] };
}

const tooSlow = (): Step => close(closeCodes.slowReader, errorCodes.SLOW_READER.meaning);

/** Here, or at another node: what is told is when. */
const closing = ({ retryAfterMs }: { readonly retryAfterMs: number }): Step =>
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
/** RFC 6455's registry: come again, nothing is wrong with you. */
const tryAgainLater = 1013;
