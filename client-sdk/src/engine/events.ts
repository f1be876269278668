import type { Json, OfficeEdit, Scope } from '@tailgate/sync-protocol';
import { callAll } from '../platform/watch.ts';

/** Events that an app may show to its driver, beside the views. */
export interface ClientEvents {
  /** A field of a change lost against a later edit by another person; both values. Waits for a listener. */
  readonly conflict: Conflict;
  /** The office changed a field of a stop that this device shows: both values, author and time. */
  readonly amendment: Amendment;
  /** Another phone, or the earlier app, changed a stop that this device shows. */
  readonly edit: RemoteEdit;
  /**
   * The server could not apply a change. The office has it for review, or has dismissed it with the reason `dismissed`.
   * Waits for a listener.
   */
  readonly quarantined: {
    readonly id: string;
    readonly employee: string;
    readonly code: string;
    readonly reason: string;
    readonly dismissed?: string | undefined;
  };
  /**
   * The server has ended the session of the signed-in driver. Over a socket, `reason` says why, such as `evicted`
   * (protocol.md), also where the phone had no connection at that time. Recorded changes drain all the same.
   */
  readonly session: { readonly employee: string; readonly reason: string };
  /** The session ends within a day. A driver who signs in again before that misses no update. Emitted once. */
  readonly expires: {
    readonly employee: string;
    /** ms since 1970 by this device's clock. */
    readonly at: number;
  };
}

/** An event with its name. */
export type NamedEvent<Names extends keyof ClientEvents = keyof ClientEvents> = {
  readonly [Name in Names]: { readonly name: Name; readonly event: ClientEvents[Name] };
}[Names];

/** A field that lost against a later edit, with both values. */
export interface Conflict {
  /** The id of the change that lost. */
  readonly id: string;
  /** As `scope` of the route's view; `updateStop` takes its `key`. */
  readonly route: Scope;
  readonly stop: number;
  /** `status`, `updates.NAME`, or the path of a line's field. */
  readonly path: string;
  readonly mine: Json;
  readonly theirs: Json | undefined;
}

/**
 * A field that was changed elsewhere, with the value that this device showed before and the value that it shows now.
 */
export interface FieldEdit extends Omit<OfficeEdit, 'value'> {
  /** The value that the driver saw, their own pending changes included; undefined where the field had no value. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** A field that the office changed. */
export interface Amendment extends FieldEdit {
  /** As `scope` of the route's view; `updateStop` takes its `key`. */
  readonly route: Scope;
  readonly stop: number;
}

/** Edits of a stop by another phone; `by` of each field is the employee. */
export interface RemoteEdit {
  /** As `scope` of the route's view; `updateStop` takes its `key`. */
  readonly route: Scope;
  readonly stop: number;
  readonly edits: readonly FieldEdit[];
}

export class EventHub {
  /** Runs after a listener was added to an event that waits for one. */
  onListener: () => void = () => {};
  /** Sends an event to the other pages. @returns whether one of their listeners is known to have received it */
  relay: (event: NamedEvent) => boolean = () => false;
  readonly #listeners: { [Name in keyof ClientEvents]: Set<(event: ClientEvents[Name]) => void> } = {
    conflict: new Set(),
    amendment: new Set(),
    edit: new Set(),
    quarantined: new Set(),
    session: new Set(),
    expires: new Set(),
  };

  on<Name extends keyof ClientEvents>(name: Name, listener: (event: ClientEvents[Name]) => void): () => void {
    const listeners = this.#listeners[name];
    listeners.add(listener);
    // The listener runs after `on` has returned.
    if (name === 'conflict' || name === 'quarantined') queueMicrotask(() => this.onListener());
    return () => void listeners.delete(listener);
  }

  /** @returns whether a listener received the event */
  emit(event: NamedEvent): boolean {
    const isReceived = this.#call(event);
    return this.relay(event) || isReceived;
  }

  #call<Name extends keyof ClientEvents>({ name, event }: NamedEvent<Name>): boolean {
    const listeners = this.#listeners[name];
    callAll(listeners, event);
    return listeners.size > 0;
  }
}
