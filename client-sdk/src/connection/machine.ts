/**
 * When to connect, when to wait, when to give a silent socket up. Pure: the shell (`connection.ts`) tells what happened
 * and does what the state that it is in now begins with.
 *
 *            wanted                    opened               welcomed
 *   resting ────────► opening ─────────────────► greeting ────────────► live ─┐ tick: ping; no answer: dead
 *      ▲                 ▲  │ closed, late          │ closed, late        │ ◄─┘
 *      │ unwanted        │  ▼                       ▼                     ▼ closed, dead
 *      │ (anywhere)      └─ waiting ◄───────────────┴─────────────────────┘
 *      │             time, woken   ▲ time
 *      │                       deferred ◄─── the server names a moment: rejected for now, or told goodbye
 *      │                       outdated ◄─── it speaks no such protocol: a minute, later half an hour
 *      └────────── barred ◄────────┘ rejected for good: until `renewed` brings other credentials
 */
export type State =
  /** Nobody needs a connection. */
  { readonly at: 'resting' } | Open | Waiting | { readonly at: 'barred' };

/** `forMs`: how long a state lasts until `time` is told; a state without it lasts. */
interface Passing {
  readonly attempt: number;
  readonly forMs: number;
}

/** There is a socket. It begins with: opening one in the place of any other; hello; where `asked`, a ping. */
type Open = Passing &
  (
    | { readonly at: 'opening' }
    | { readonly at: 'greeting' }
    | { readonly at: 'live'; readonly pingMs: number; readonly asked: boolean }
  );

/**
 * There is none, as in every state that is not `Open`. `deferred`: the server has named the moment; a hint, which a whole
 * depot gets at once, does not bring it forward. `outdated`: one side has to be brought up to date, which takes a while.
 */
type Waiting = Passing & { readonly at: 'waiting' | 'deferred' | 'outdated' };

export type Event =
  /** There is something to say. */
  | { readonly is: 'wanted' }
  | { readonly is: 'unwanted' }
  | { readonly is: 'opened' }
  /** The line has ended, or is about to by the server's word, which may name the moment to come back. */
  | { readonly is: 'closed'; readonly retryAfterMs?: number | undefined }
  | { readonly is: 'welcomed'; readonly pingMs: number }
  /** Rejected, and no repetition of the same hello changes that. */
  | { readonly is: 'barred' }
  /** The server does not speak our version of the protocol: an older one than the app, or one that has left it behind. */
  | { readonly is: 'outdated' }
  /** Any frame. */
  | { readonly is: 'heard' }
  /** The network or the person may be back: a hint. */
  | { readonly is: 'woken' }
  /** Say hello anew: as another queue, or with other credentials. */
  | { readonly is: 'renewed' }
  | { readonly is: 'time' };

/** How patient the connection is, in milliseconds. */
export interface Timing {
  /** First and longest wait before another try; the wait is drawn evenly from zero to the bound (full jitter). */
  readonly retryBaseMs: number;
  readonly retryCapMs: number;
  /** How long a socket may take to open, and a hello to be answered. */
  readonly openMs: number;
  /** Longest silence before a ping, and how long its answer may take: together within 15 s. */
  readonly pingMs: number;
  readonly answerMs: number;
  /** While plain HTTP stands in for sockets: after so long one is tried again, later after twice as long each time. */
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

/** A server is rolled forward, or back, within minutes at best: so much longer than for a line that broke. */
const updateFactor = 60;

const opening = (attempt: number, { openMs }: Timing): Open => ({ at: 'opening', attempt, forMs: openMs });

const asking = (attempt: number, pingMs: number, { answerMs }: Timing): Open => ({
  at: 'live',
  attempt,
  pingMs,
  asked: true,
  forMs: answerMs,
});

/** @param leastMs until the moment that the server has named, if it has named one */
const later = (attempt: number, timing: Timing, fraction: number, leastMs = 0): Waiting => ({
  at: leastMs > 0 ? 'deferred' : 'waiting',
  attempt: attempt + 1,
  forMs: leastMs + backoffMs(attempt, timing, fraction),
});

function whileOpen(state: Open, event: Event, timing: Timing, fraction: number): State {
  const { at, attempt } = state;
  switch (event.is) {
    case 'opened':
      return at === 'opening' ? { at: 'greeting', attempt, forMs: timing.openMs } : state;
    case 'welcomed':
      // Asked at once: only an answer proves that both directions work, and only that ends the back-off.
      return at === 'greeting' ? asking(attempt, Math.min(event.pingMs, timing.pingMs), timing) : state;
    case 'heard':
      return at === 'live' && state.asked ? { ...state, attempt: 0, asked: false, forMs: state.pingMs } : state;
    case 'woken':
      return at === 'live' ? asking(attempt, state.pingMs, timing) : state;
    case 'time':
      // Asked, or not even welcomed: the socket counts as dead, whatever it says itself.
      return at === 'live' && !state.asked ? asking(attempt, state.pingMs, timing) : later(attempt, timing, fraction);
    case 'closed':
      return later(attempt, timing, fraction, event.retryAfterMs);
    case 'barred':
      return { at: 'barred' };
    case 'outdated':
      return { at: 'outdated', attempt: attempt + 1, forMs: updateFactor * backoffMs(attempt, timing, fraction) };
    case 'renewed':
      return opening(at === 'live' ? 0 : attempt, timing);
    default:
      return state;
  }
}

function whileWaiting(state: Waiting, { is }: Event, timing: Timing): State {
  if (is === 'time') return opening(state.attempt, timing);
  return is === 'renewed' || (is === 'woken' && state.at === 'waiting') ? opening(0, timing) : state;
}

/**
 * The next state; the same where an event means nothing to it. A state that is another object begins anew.
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
      return event.is === (state.at === 'resting' ? 'wanted' : 'renewed') ? opening(0, timing) : state;
  }
}
