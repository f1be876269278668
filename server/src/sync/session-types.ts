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

/** What a connection is at a moment; `session.ts` draws how it gets from one to the next. */
export type Session = Greeting | Opening | Live | Closed;

export interface Greeting {
  readonly phase: 'greeting';
  readonly since: number;
  readonly faults: number;
}
export interface Opening {
  readonly phase: 'opening';
  readonly hello: HelloFrame;
  readonly waiting: readonly Arrival[];
  /** Told meanwhile, so newer than what the hello's own question will bring. */
  readonly routes: readonly AssignedRoute[] | null;
}
export interface Live {
  readonly phase: 'live';
  readonly clientId: string;
  /** `queue`: it may push, say what it has lost, and read the answers to its own mutations. */
  readonly rights: 'all' | 'queue';
  readonly follows: readonly Scope[];
  readonly inFlight: number;
  readonly settling: boolean;
  /** Asked to stop once what is in flight is answered: when the phone may come back. */
  readonly stopping: { readonly retryAfterMs: number } | null;
  readonly waiting: readonly Arrival[];
  readonly faults: number;
  readonly heardAt: number;
  readonly pingedAt: number;
  readonly congestedSince: number | null;
}
export interface Closed {
  readonly phase: 'closed';
}

/** What came over the wire: a frame that we know, or one that we cannot read. Frames of unknown types are only heard. */
export type Arrival =
  | { readonly type: 'frame'; readonly frame: ClientFrame; readonly now: number }
  | { readonly type: 'unknown'; readonly now: number }
  | {
      readonly type: 'broken';
      readonly code: ErrorCode;
      readonly details: readonly ErrorDetail[];
      readonly now: number;
    };

export type SessionEvent =
  | Arrival
  | { readonly type: 'opened'; readonly opened: Opened; readonly now: number }
  | { readonly type: 'refused'; readonly code: ErrorCode; readonly retryAfterMs?: number }
  | { readonly type: 'answered'; readonly answer: PushAnswer; readonly now: number }
  | {
      readonly type: 'unanswered';
      readonly code: ErrorCode;
      readonly details: readonly ErrorDetail[];
      readonly now: number;
    }
  /** With faults where the loss was refused. */
  | { readonly type: 'settled'; readonly details: readonly ErrorDetail[]; readonly now: number }
  | { readonly type: 'unsettled' }
  /** The database does not know this queue any more: only a new hello helps. */
  | { readonly type: 'unbound' }
  | { readonly type: 'revoked'; readonly reason: string }
  | { readonly type: 'expires'; readonly inSeconds: number }
  | { readonly type: 'routes'; readonly routes: readonly AssignedRoute[] }
  | { readonly type: 'congested'; readonly now: number }
  | { readonly type: 'drained'; readonly now: number }
  | { readonly type: 'tick'; readonly now: number }
  | { readonly type: 'stopping'; readonly retryAfterMs: number }
  | { readonly type: 'closed' };

/** What the database says of a queue whose hello is good. */
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
