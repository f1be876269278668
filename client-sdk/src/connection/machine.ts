/**
 * When to connect, when to wait, when to give a silent socket up. Pure: the shell (`connection.ts`) tells what happened
 * and does what it is told.
 *
 *            wanted                    opened               welcomed
 *   resting ────────► opening ─────────────────► greeting ────────────► live ─┐ tick: ping; no answer: dead
 *      ▲                 ▲  │ closed, late          │ closed, late        │ ◄─┘
 *      │ unwanted        │  ▼                       ▼                     ▼ closed, dead
 *      │ (anywhere)      └─ waiting ◄───────────────┴─────────────────────┘
 *      │             time, woken   ▲ time
 *      │                       deferred ◄─── the server names a moment: rejected for now, or told goodbye
 *      └────────── barred ◄────────┘ rejected for good: until `renewed` brings other credentials
 */
export type State =
  /** Nobody needs a connection. */
  | { readonly at: 'resting' }
  | { readonly at: 'opening'; readonly attempt: number }
  /** The socket is open and hello was sent. */
  | { readonly at: 'greeting'; readonly attempt: number }
  | { readonly at: 'live'; readonly attempt: number; readonly pingMs: number; readonly asked: boolean }
  | { readonly at: 'waiting'; readonly attempt: number }
  /** The server has named the moment: a hint, which a whole depot gets at once, does not bring it forward. */
  | { readonly at: 'deferred'; readonly attempt: number }
  | { readonly at: 'barred'; readonly code: string };

export type Event =
  /** There is something to say. */
  | { readonly is: 'wanted' }
  | { readonly is: 'unwanted' }
  | { readonly is: 'opened' }
  | { readonly is: 'closed' }
  | { readonly is: 'welcomed'; readonly pingMs: number }
  | { readonly is: 'rejected'; readonly code: string; readonly final: boolean; readonly retryAfterMs: number }
  /** The server is about to close. */
  | { readonly is: 'told goodbye'; readonly retryAfterMs: number }
  /** Any frame. */
  | { readonly is: 'heard' }
  /** The network or the person may be back: a hint. */
  | { readonly is: 'woken' }
  /** Say hello anew: as another queue, or with other credentials. */
  | { readonly is: 'renewed' }
  | { readonly is: 'time' };

/** What the shell does, in order. Each state has one timer: setting it replaces the one before. */
export type Effect =
  | { readonly do: 'open' }
  | { readonly do: 'hello' }
  | { readonly do: 'ping' }
  | { readonly do: 'close' }
  | { readonly do: 'timer'; readonly ms: number }
  | { readonly do: 'no timer' };

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

export type Step = readonly [State, readonly Effect[]];

const open = (attempt: number, timing: Timing): Step => [
  { at: 'opening', attempt },
  [{ do: 'open' }, { do: 'timer', ms: timing.openMs }],
];

const reopen = (attempt: number, timing: Timing): Step => {
  const [state, effects] = open(attempt, timing);
  return [state, [{ do: 'close' }, ...effects]];
};

/** Exponential back-off with full jitter and a cap. */
export const backoffMs = (attempt: number, timing: Timing, fraction: number): number =>
  fraction * Math.min(timing.retryCapMs, timing.retryBaseMs * 2 ** attempt);

function wait(attempt: number, timing: Timing, fraction: number): Step {
  return [{ at: 'waiting', attempt: attempt + 1 }, [{ do: 'timer', ms: backoffMs(attempt, timing, fraction) }]];
}

/** Until the moment that the server has named, if it has named one. */
function defer(attempt: number, ms: number, timing: Timing, fraction: number): Step {
  if (ms <= 0) return giveUp(attempt, timing, fraction);
  const effects: Effect[] = [{ do: 'close' }, { do: 'timer', ms: ms + backoffMs(attempt, timing, fraction) }];
  return [{ at: 'deferred', attempt: attempt + 1 }, effects];
}

/** The socket counts as dead, whatever it says itself. */
function giveUp(attempt: number, timing: Timing, fraction: number): Step {
  const [state, effects] = wait(attempt, timing, fraction);
  return [state, [{ do: 'close' }, ...effects]];
}

const rest: Step = [{ at: 'resting' }, [{ do: 'close' }, { do: 'no timer' }]];

const ask = (attempt: number, pingMs: number, timing: Timing): Step => [
  { at: 'live', attempt, pingMs, asked: true },
  [{ do: 'ping' }, { do: 'timer', ms: timing.answerMs }],
];

/** What happens in a state that waits for somebody's answer: the socket's, or the server's to hello. */
function whileConnecting(
  { at, attempt }: State & { attempt: number },
  event: Event,
  timing: Timing,
  fraction: number,
): Step | undefined {
  switch (event.is) {
    case 'opened':
      return at === 'opening'
        ? [{ at: 'greeting', attempt }, [{ do: 'hello' }, { do: 'timer', ms: timing.openMs }]]
        : undefined;
    case 'welcomed':
      // Asked at once: only an answer proves that both directions work, and only that ends the back-off.
      return at === 'greeting' ? ask(attempt, Math.min(event.pingMs, timing.pingMs), timing) : undefined;
    case 'rejected': {
      if (event.final) return [{ at: 'barred', code: event.code }, [{ do: 'close' }, { do: 'no timer' }]];
      return defer(attempt, event.retryAfterMs, timing, fraction);
    }
    case 'told goodbye':
      return defer(attempt, event.retryAfterMs, timing, fraction);
    case 'closed':
      return wait(attempt, timing, fraction);
    case 'time':
      return giveUp(attempt, timing, fraction);
    case 'renewed':
      return reopen(attempt, timing);
    default:
      return undefined;
  }
}

function whileLive(state: State & { at: 'live' }, event: Event, timing: Timing, fraction: number): Step | undefined {
  const { attempt, pingMs } = state;
  switch (event.is) {
    case 'heard':
      return state.asked
        ? [{ at: 'live', attempt: 0, pingMs, asked: false }, [{ do: 'timer', ms: pingMs }]]
        : undefined;
    case 'time':
      return state.asked ? giveUp(attempt, timing, fraction) : ask(attempt, pingMs, timing);
    case 'told goodbye':
      return defer(attempt, event.retryAfterMs, timing, fraction);
    case 'woken':
      return ask(attempt, pingMs, timing);
    case 'closed':
      return wait(attempt, timing, fraction);
    case 'renewed':
      return reopen(0, timing);
    default:
      return undefined;
  }
}

function whileWaiting({ attempt }: State & { attempt: number }, event: Event, timing: Timing): Step | undefined {
  if (event.is === 'time') return open(attempt, timing);
  return event.is === 'woken' || event.is === 'renewed' ? open(0, timing) : undefined;
}

function next(state: State, event: Event, timing: Timing, fraction: number): Step | undefined {
  if (event.is === 'unwanted') return state.at === 'resting' ? undefined : rest;
  switch (state.at) {
    case 'live':
      return whileLive(state, event, timing, fraction);
    case 'opening':
    case 'greeting':
      return whileConnecting(state, event, timing, fraction);
    case 'waiting':
      return whileWaiting(state, event, timing);
    case 'deferred':
      return event.is === 'woken' ? undefined : whileWaiting(state, event, timing);
    case 'resting':
      return event.is === 'wanted' ? open(0, timing) : undefined;
    case 'barred':
      return event.is === 'renewed' ? open(0, timing) : undefined;
    default:
      return unknownState(state);
  }
}

/** Does not compile where a state has no entry above. */
function unknownState(state: never): never {
  throw new Error(`no such state: ${JSON.stringify(state)}`);
}

/**
 * The next state and what to do. An event that means nothing to a state leaves it as it is.
 *
 * @param fraction from 0 to below 1: the jitter
 */
export function step(state: State, event: Event, timing: Timing, fraction: number): Step {
  return next(state, event, timing, fraction) ?? [state, []];
}
