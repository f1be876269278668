import type { Session, SessionEvent } from './session-types.ts';

type Phase = Session['phase'];
type EventType = SessionEvent['type'];

/**
 * All transitions of a connection: the states to which an event may lead. An empty list is a decision, too: the state
 * ignores the event. A new state or event fails to compile until each of its cells is filled, and an event that a
 * handler leaves out fails to compile unless its cell is empty. `session.ts` implements the table, and a test compares
 * the two.
 *
 * Frames that waited are handled with the event that ends their wait, so such an event may lead further.
 */
export const transitions = {
  greeting: {
    frame: ['greeting', 'opening', 'closed'],
    broken: ['greeting', 'closed'],
    // A frame of an unknown type shows that the client is there. The time limit is for its hello.
    unknown: [],
    congested: ['closed'],
    tick: ['closed'],
    stopping: ['closed'],
    closed: ['closed'],
    // Nothing was asked of the database, and nothing waits.
    opened: [],
    refused: [],
    answered: [],
    unanswered: [],
    settled: [],
    unsettled: [],
    unbound: [],
    revoked: [],
    expires: [],
    routes: [],
    drained: [],
  },
  opening: {
    opened: ['live', 'settling', 'closed'],
    refused: ['closed'],
    revoked: ['closed'],
    routes: ['opening'],
    frame: ['opening'],
    broken: ['opening'],
    // Only `receivedAt` would change, which does not exist yet.
    unknown: [],
    stopping: ['closed'],
    closed: ['closed'],
    // Nothing was sent, so the socket is not congested. The database limits its own time.
    congested: [],
    drained: [],
    tick: [],
    answered: [],
    unanswered: [],
    settled: [],
    unsettled: [],
    unbound: [],
    expires: [],
  },
  live: {
    frame: ['live', 'settling', 'closed'],
    broken: ['live', 'closed'],
    unknown: ['live'],
    answered: ['live', 'settling'],
    unanswered: ['live', 'settling', 'closed'],
    unbound: ['closed'],
    revoked: ['live'],
    expires: ['live'],
    routes: ['live'],
    congested: ['live'],
    drained: ['live'],
    tick: ['live', 'closed'],
    stopping: ['stopping', 'closed'],
    closed: ['closed'],
    // The hello was answered once, and no loss is being saved.
    opened: [],
    refused: [],
    settled: [],
    unsettled: [],
  },
  settling: {
    frame: ['settling'],
    broken: ['settling'],
    unknown: ['settling'],
    settled: ['live', 'settling', 'closed'],
    unsettled: ['closed'],
    unbound: ['closed'],
    revoked: ['settling'],
    expires: ['settling'],
    routes: ['settling'],
    congested: ['settling'],
    drained: ['settling'],
    tick: ['closed'],
    stopping: ['closed'],
    closed: ['closed'],
    // No push is in flight: a loss waits for the answers before it.
    answered: [],
    unanswered: [],
    opened: [],
    refused: [],
  },
  stopping: {
    frame: ['stopping'],
    broken: ['stopping'],
    unknown: ['stopping'],
    answered: ['stopping', 'closed'],
    unanswered: ['stopping', 'closed'],
    unbound: ['closed'],
    revoked: ['stopping'],
    expires: ['stopping'],
    routes: ['stopping'],
    congested: ['stopping'],
    drained: ['stopping'],
    tick: ['closed'],
    stopping: ['stopping'],
    closed: ['closed'],
    opened: [],
    refused: [],
    settled: [],
    unsettled: [],
  },
  closed: {
    frame: [],
    broken: [],
    unknown: [],
    opened: [],
    refused: [],
    answered: [],
    unanswered: [],
    settled: [],
    unsettled: [],
    unbound: [],
    revoked: [],
    expires: [],
    routes: [],
    congested: [],
    drained: [],
    tick: [],
    stopping: [],
    closed: [],
  },
} as const satisfies Record<Phase, Record<EventType, readonly Phase[]>>;

/** The events that this state ignores; of several states, those that all of them ignore. */
export type Ignored<State extends Phase> = Extract<SessionEvent, { type: IgnoredType<State> }>;
/** Events of an open connection, without the two that end one in every state. */
export type OpenEvent = Exclude<SessionEvent, { type: 'stopping' | 'closed' }>;

type IgnoredType<State extends Phase> = {
  [Type in EventType]: (typeof transitions)[State][Type] extends readonly [] ? Type : never;
}[EventType];
