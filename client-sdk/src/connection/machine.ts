/**
 * When to connect, when to wait, and when to give up a silent socket. Pure: `connection.ts` passes events in and
 * carries out the first action of each new state.
 *
 *            wanted                    opened               welcomed
 *   resting ────────► opening ─────────────────► greeting ────────────► live ─┐ time: ping; no answer: dead
 *      ▲                 ▲  │ closed, late          │ closed, late        │ ◄─┘
 *      │ unwanted        │  ▼                       ▼                     ▼ closed, dead
 *      │ (anywhere)      └─ waiting ◄───────────────┴─────────────────────┘
 *      │             time, woken   ▲ time
 *      │                       deferred ◄─── the server names a moment: rejected for now, or goodbye
 *      │                       outdated ◄─── no common protocol version: a minute, later half an hour
 *      └────────── barred ◄────────┘ rejected permanently: until `renewed` brings other credentials
 */
export type State =
  /** No connection is needed. */
  { readonly at: 'resting' } | Open | Waiting | { readonly at: 'barred' };

/** `forMs`: the time until the event `time`; a state without it has no limit. */
interface TimedState {
  readonly attempt: number;
  readonly forMs: number;
}

/**
 * A socket exists. First action: `opening` replaces any socket by a new one; `greeting` sends hello; `live` sends a
 * ping where `awaitsPong`.
 */
type Open = TimedState &
  (
    | { readonly at: 'opening' }
    | { readonly at: 'greeting' }
    | { readonly at: 'live'; readonly pingMs: number; readonly awaitsPong: boolean }
  );

/**
 * No socket, as in every state that is not `Open`. `deferred`: the server has named the moment. A wake-up does not
 * shorten it, because a whole depot gets the same wake-up at once. `outdated`: app or server needs an update, which
 * takes a while.
 */
type Waiting = TimedState & { readonly at: 'waiting' | 'deferred' | 'outdated' };

export type Event =
  /** Something has to be sent. */
  | { readonly is: 'wanted' }
  | { readonly is: 'unwanted' }
  | { readonly is: 'opened' }
  /** The socket has ended, or the server ends it soon and may name the moment to come back. */
  | { readonly is: 'closed'; readonly retryAfterMs?: number | undefined }
  | { readonly is: 'welcomed'; readonly pingMs: number }
  /** Rejected; the same hello would be rejected again. */
  | { readonly is: 'barred' }
  /** The server does not support the app's protocol version: it is older than the app, or has dropped that version. */
  | { readonly is: 'outdated' }
  /** Any frame arrived. */
  | { readonly is: 'received' }
  /** A hint: the network or the driver may be back. */
  | { readonly is: 'woken' }
  /** Send a new hello: for another queue, or with other credentials. */
  | { readonly is: 'renewed' }
  | { readonly is: 'time' };

/** Time limits of the connection, in milliseconds. */
export interface Timing {
  /** First and longest wait before another attempt; the wait is uniform between zero and the bound (full jitter). */
  readonly retryBaseMs: number;
  readonly retryCapMs: number;
  /** How long a socket may take to open, and a hello to be answered. */
  readonly openMs: number;
  /** Longest silence before a ping, and the time limit of its answer: together within 15 s. */
  readonly pingMs: number;
  readonly answerMs: number;
  /** The first interval between trials of a socket while plain HTTP replaces sockets; it doubles each time. */
  readonly socketAgainMs: number;
}

export const defaultTiming: Timing = {
  retryBaseMs: 1_000,
  retryCapMs: 30_000,
  openMs: 10_000,
  pingMs: 9_000,
  answerMs: 5_000,
  socketAgainMs: 5_000,
};

/** Exponential back-off with full jitter and a cap. */
export const backoffMs = (attempt: number, timing: Timing, fraction: number): number =>
  fraction * Math.min(timing.retryCapMs, timing.retryBaseMs * 2 ** attempt);

/** A deployment of the server takes minutes at best: the factor over the wait after a broken connection. */
const updateFactor = 60;

const opening = (attempt: number, { openMs }: Timing): Open => ({ at: 'opening', attempt, forMs: openMs });

const pinging = (attempt: number, pingMs: number, { answerMs }: Timing): Open => ({
  at: 'live',
  attempt,
  pingMs,
  awaitsPong: true,
  forMs: answerMs,
});

/** @param minMs until the moment that the server has named, if it has named one */
const later = (attempt: number, timing: Timing, fraction: number, minMs = 0): Waiting => ({
  at: minMs > 0 ? 'deferred' : 'waiting',
  attempt: attempt + 1,
  forMs: minMs + backoffMs(attempt, timing, fraction),
});

function whileOpen(state: Open, event: Event, timing: Timing, fraction: number): State {
  const { at, attempt } = state;
  switch (event.is) {
    case 'opened':
      return at === 'opening' ? { at: 'greeting', attempt, forMs: timing.openMs } : state;
    case 'welcomed':
      // Pings at once: only an answer proves that both directions work, and only that ends the back-off.
      return at === 'greeting' ? pinging(attempt, Math.min(event.pingMs, timing.pingMs), timing) : state;
    case 'received':
      return at === 'live' && state.awaitsPong
        ? { ...state, attempt: 0, awaitsPong: false, forMs: state.pingMs }
        : state;
    case 'woken':
      return at === 'live' ? pinging(attempt, state.pingMs, timing) : state;
    case 'time':
      // Without an answer to the ping or the hello, the machine treats the socket as broken, even if it reports no close.
      return at === 'live' && !state.awaitsPong
        ? pinging(attempt, state.pingMs, timing)
        : later(attempt, timing, fraction);
    case 'closed':
      return later(attempt, timing, fraction, event.retryAfterMs);
    case 'barred':
      return { at: 'barred' };
    case 'outdated':
      return { at: 'outdated', attempt: attempt + 1, forMs: updateFactor * backoffMs(attempt, timing, fraction) };
    case 'renewed':
      return opening(at === 'live' ? 0 : attempt, timing);
    default:
      return state satisfies Ignoring<typeof event.is, 'wanted' | 'unwanted'>;
  }
}

function whileWaiting(state: Waiting, { is }: Event, timing: Timing): State {
  if (is === 'time') return opening(state.attempt, timing);
  return is === 'renewed' || (is === 'woken' && state.at === 'waiting')
    ? opening(0, timing)
    : (state satisfies Ignoring<typeof is, 'wanted' | 'woken' | SocketOnly>);
}

/** Events of a socket, which the states without one do not have. `unwanted` is handled before. */
type SocketOnly = 'opened' | 'closed' | 'welcomed' | 'barred' | 'outdated' | 'received' | 'unwanted';

/** The state stays, for these events only: a new one fails to compile. `machine.test.ts` has all transitions. */
type Ignoring<Is extends Event['is'], Ignored extends Event['is']> = [Is] extends [Ignored] ? State : never;

/**
 * The next state; the same object where the event has no effect. A new object starts its state anew.
 *
 * @param fraction from 0 to below 1: the jitter
 */
export function step(state: State, event: Event, timing: Timing, fraction: number): State {
  if (event.is === 'unwanted') return state.at === 'resting' ? state : { at: 'resting' };
  switch (state.at) {
    case 'opening':
    case 'greeting':
    case 'live':
      return whileOpen(state, event, timing, fraction);
    case 'waiting':
    case 'deferred':
    case 'outdated':
      return whileWaiting(state, event, timing);
    case 'resting':
    case 'barred':
    default:
      return event.is === (state.at === 'resting' ? 'wanted' : 'renewed')
        ? opening(0, timing)
        : (state satisfies Ignoring<typeof event.is, 'wanted' | 'renewed' | 'woken' | 'time' | SocketOnly>);
  }
}
