import type {
  AssignedRoute,
  ClientFrame,
  Cursor,
  ErrorCode,
  ErrorDetail,
  HelloFrame,
  PingFrame,
  Scope,
  ServerFrameInput,
} from '@tailgate/sync-protocol';
import type { PushAnswer } from '../mutations/change.ts';

/** The state of a connection. `session.ts` contains the transitions. */
export type Session = AwaitingHello | Opening | Bound | Closed;
/** A connection whose hello was accepted. */
export type Bound = Live | Settling | Stopping;

export interface AwaitingHello {
  readonly phase: 'greeting';
  readonly since: number;
  readonly faults: number;
}
export interface Opening {
  readonly phase: 'opening';
  readonly hello: HelloFrame;
  readonly waiting: readonly Arrival[];
  /** Routes that changed meanwhile: newer than the result of the hello's own query. */
  readonly routes: readonly AssignedRoute[] | null;
}
interface Binding {
  readonly clientId: string;
  /** `queue`: the client may push, declare losses, and read the answers to its own mutations. */
  readonly rights: 'all' | 'queue';
  readonly follows: readonly Scope[];
  readonly inFlight: number;
  readonly waiting: readonly Arrival[];
  readonly faults: number;
  /** Time of the last frame from the client. */
  readonly receivedAt: number;
  readonly pingedAt: number;
  readonly congestedSince: number | null;
}
export interface Live extends Binding {
  readonly phase: 'live';
}
/** The server saves a declared loss. No push is in flight. */
export interface Settling extends Binding {
  readonly phase: 'settling';
}
/** The server stops and still owes answers to pushes. */
export interface Stopping extends Binding {
  readonly phase: 'stopping';
  /** The time after which the phone may reconnect. */
  readonly retryAfterMs: number;
}
export interface Closed {
  readonly phase: 'closed';
}

/** A received frame: valid, of an unknown type, or unreadable. A frame of an unknown type only shows that the client is there. */
export type Arrival =
  | { readonly type: 'frame'; readonly frame: ClientFrame; readonly now: number }
  | { readonly type: 'unknown'; readonly now: number }
  | {
      readonly type: 'broken';
      readonly code: ErrorCode;
      readonly details: readonly ErrorDetail[];
      readonly now: number;
    };

/** Parts of a rejection beside its code. */
export interface RejectFacts {
  /** Why the session of the shown token has ended. */
  readonly reason?: string | undefined;
  readonly retryAfterMs?: number;
}

export type SessionEvent =
  | Arrival
  | { readonly type: 'opened'; readonly opened: Opened; readonly now: number }
  | ({ readonly type: 'refused'; readonly code: ErrorCode } & RejectFacts)
  | { readonly type: 'answered'; readonly answer: PushAnswer; readonly now: number }
  | {
      readonly type: 'unanswered';
      readonly code: ErrorCode;
      readonly details: readonly ErrorDetail[];
      readonly now: number;
    }
  /** `details` contains the faults of a refused loss. */
  | { readonly type: 'settled'; readonly details: readonly ErrorDetail[]; readonly now: number }
  | { readonly type: 'unsettled' }
  /** The database has no such queue any more. The client must send a new hello. */
  | { readonly type: 'unbound' }
  | { readonly type: 'revoked'; readonly reason: string }
  | { readonly type: 'expires'; readonly inSeconds: number }
  | { readonly type: 'routes'; readonly routes: readonly AssignedRoute[] }
  | { readonly type: 'congested'; readonly now: number }
  | { readonly type: 'drained'; readonly now: number }
  | { readonly type: 'tick'; readonly now: number }
  | { readonly type: 'stopping'; readonly retryAfterMs: number }
  | { readonly type: 'closed' };

/** The stored facts of a queue whose hello was accepted. */
export interface Opened {
  readonly serverTime: string;
  readonly epoch: string;
  readonly lastSeq: number;
  readonly queueKey: string | null;
  readonly routes: readonly AssignedRoute[];
}

export type Effect =
  | { readonly do: 'send'; readonly frame: ServerFrameInput }
  | { readonly do: 'open'; readonly hello: HelloFrame }
  | { readonly do: 'push'; readonly items: readonly unknown[] }
  | { readonly do: 'follow'; readonly scope: Scope; readonly cursor: Cursor | null }
  | { readonly do: 'unfollow'; readonly scope: Scope }
  | { readonly do: 'leave' }
  | { readonly do: 'skip'; readonly from: number; readonly to: number; readonly reason: string }
  | { readonly do: 'note'; readonly report: HelloFrame | PingFrame }
  | { readonly do: 'pause' }
  | { readonly do: 'resume' }
  | { readonly do: 'close'; readonly code: number; readonly reason: string };

export interface Step {
  readonly session: Session;
  readonly effects: readonly Effect[];
}
