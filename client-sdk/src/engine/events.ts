import type { Json, OfficeEdit } from '@tailgate/sync-protocol';
import { callAll } from '../platform/watch.ts';

/** What an app may want to tell its driver, beside what the views show. */
export interface ClientEvents {
  /** A field of a change lost against a later edit of somebody else; both values. Waits for a listener. */
  readonly conflict: Conflict;
  /** The office changed a field of a stop that this device shows; both values, who and when. */
  readonly amendment: Amendment;
  /** Another phone, or an app of before, changed a stop that this device shows. */
  readonly edit: RemoteEdit;
  /**
   * A change that the server could not apply: the office has it, or has put it aside with the words `dismissed`. Waits
   * for a listener.
   */
  readonly quarantined: {
    readonly id: string;
    readonly employee: string;
    readonly code: string;
    readonly reason: string;
    readonly dismissed?: string | undefined;
  };
  /** The session of the signed-in driver has ended on the server; what was recorded drains all the same. */
  readonly session: { readonly employee: string; readonly reason: string };
  /** The session will end within a day: who signs in again before has news all the time. Told once. */
  readonly expires: {
    readonly employee: string;
    /** ms since 1970 by this device's clock. */
    readonly at: number;
  };
}

/** An event, under its name. */
export type Told<Names extends keyof ClientEvents = keyof ClientEvents> = {
  readonly [Name in Names]: { readonly name: Name; readonly event: ClientEvents[Name] };
}[Names];

/** A field that lost against a later edit, with both values. */
export interface Conflict {
  /** The change that lost. */
  readonly id: string;
  readonly route: string;
  readonly stop: number;
  /** `status`, `updates.NAME`, or a line's field. */
  readonly path: string;
  readonly mine: Json;
  readonly theirs: Json | undefined;
}

/** A field that was changed elsewhere, with what this device showed before and what it shows now. */
export interface FieldEdit extends Omit<OfficeEdit, 'value'> {
  /** What the driver saw, their own pending changes included; undefined where nobody had said anything. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/** A field that the office changed. */
export interface Amendment extends FieldEdit {
  readonly route: string;
  readonly stop: number;
}

/** What another phone changed of a stop; `by` of each field is the employee. */
export interface RemoteEdit {
  readonly route: string;
  readonly stop: number;
  readonly edits: readonly FieldEdit[];
}

export class EventHub {
  /** Called when somebody has begun to listen to an event that waits for that. */
  onListener: () => void = () => {};
  /** The pages beside this one. @returns whether a listener of theirs is known to have heard it */
  relay: (told: Told) => boolean = () => false;
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
    // Told when `on` has returned.
    if (name === 'conflict' || name === 'quarantined') queueMicrotask(() => this.onListener());
    return () => void listeners.delete(listener);
  }

  /** @returns whether somebody has heard it */
  emit(told: Told): boolean {
    const isHeard = this.#call(told);
    return this.relay(told) || isHeard;
  }

  #call<Name extends keyof ClientEvents>({ name, event }: Told<Name>): boolean {
    const listeners = this.#listeners[name];
    callAll(listeners, event);
    return listeners.size > 0;
  }
}
