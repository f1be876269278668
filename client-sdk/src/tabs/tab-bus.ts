import type { AssignedRoute, Json, ReferenceCode, RouteKey } from '@tailgate/sync-protocol';
import type { Author, Driver } from '../client.ts';
import type { Withdrawal } from '../engine/sync-engine.ts';
import type { Diagnostics } from '../engine/diagnostics.ts';
import type { Conflict, NamedEvent } from '../engine/events.ts';
import type { ReviewEntry } from '../engine/inbox.ts';
import type { ReceiptState } from '../queue/receipt.ts';
import type { Draft } from '../queue/record.ts';
import type { ExportedQueue } from '../rescue/exported-queue.ts';
import type { KnownRoutes } from '../replica/known.ts';
import type { LocalRoute } from '../replica/local-route.ts';
import type { SignInInput, SignInResult } from '../session/auth-calls.ts';
import type { Status } from '../engine/status.ts';
import { exactly, fields } from '../platform/reading.ts';
import type { RouteDelta } from './route-delta.ts';

/** A value of the leading page for the other pages. */
export type Shown =
  | { readonly of: 'status'; readonly value: Status }
  | { readonly of: 'driver'; readonly value: Driver | undefined }
  | { readonly of: 'routes'; readonly value: readonly AssignedRoute[] }
  | { readonly of: 'known'; readonly value: KnownRoutes }
  | { readonly of: 'review'; readonly value: readonly ReviewEntry[] }
  | { readonly of: 'conflicts'; readonly value: readonly Conflict[] }
  | { readonly of: 'codes'; readonly type: ReferenceCode['type']; readonly value: readonly ReferenceCode[] }
  | { readonly of: 'route'; readonly key: RouteKey | undefined; readonly value: LocalRoute | undefined }
  | { readonly of: 'route news'; readonly key: RouteKey | undefined; readonly value: RouteDelta }
  | { readonly of: 'receipt'; readonly id: string; readonly value: ReceiptState };

/** A value that a page requests. Without a request none is sent: copying a route costs a megabyte. */
export type Wanted =
  | { readonly of: 'status' | 'driver' | 'routes' | 'known' | 'review' | 'conflicts' }
  | { readonly of: 'codes'; readonly type: ReferenceCode['type'] }
  | { readonly of: 'route'; readonly key: RouteKey | undefined }
  | { readonly of: 'receipt'; readonly id: string };

/** A change that another page has recorded. */
export interface Change {
  readonly draft: Draft;
  readonly by: Author;
}

export type Call =
  | { readonly call: 'signIn'; readonly input: SignInInput }
  | {
      readonly call: 'signUp';
      readonly employeeId: string;
      readonly password: string;
      readonly invitation: string | undefined;
    }
  | { readonly call: 'signOut'; readonly by: Pick<Author, 'employee'> | undefined }
  | { readonly call: 'acknowledge'; readonly change: string }
  | { readonly call: 'withdraw'; readonly change: string }
  | { readonly call: 'markSeen'; readonly route: RouteKey; readonly stop: number }
  | {
      readonly call: 'setDraft';
      readonly route: RouteKey | undefined;
      readonly stop: number | undefined;
      readonly draft: Json | undefined;
      readonly by: Pick<Author, 'employee'>;
    }
  | { readonly call: 'exportQueues' }
  | { readonly call: 'diagnostics' };

/** The result of a call. */
export type Result = SignInResult | boolean | Diagnostics | Withdrawal | readonly ExportedQueue[];

export type Answer =
  | { readonly kind: 'result'; readonly value: Result }
  | { readonly kind: 'unreachable' | 'failed'; readonly message: string };

/** Messages between pages. */
export type Message =
  /** A page has opened: requests `leads`. */
  | { readonly type: 'arrived' }
  /**
   * This page runs the client: request your values. Sent at its start, and to each new page. `leader` identifies this run
   * of the client.
   */
  | { readonly type: 'leads'; readonly leader: string }
  | { readonly type: 'wants'; readonly wanted: Wanted }
  | { readonly type: 'records'; readonly change: Change }
  | { readonly type: 'asks'; readonly id: string; readonly what: Call }
  | { readonly type: 'answers'; readonly id: string; readonly answer: Answer }
  | { readonly type: 'shows'; readonly shown: Shown }
  /** A change has this id, so that every page can request its receipt. */
  | { readonly type: 'recorded'; readonly id: string }
  | { readonly type: 'emits'; readonly event: NamedEvent }
  /** Sends waiting changes at once. */
  | { readonly type: 'syncs' }
  /** This page has a new listener: send unreceived events again. */
  | { readonly type: 'listens' }
  /** A listener has received the event of this change. */
  | { readonly type: 'received'; readonly id: string };

/** Rises with `Message`: pages of different builds ignore each other's messages. */
const dialect = 'tailgate-tabs/13';
const hasDialect = fields({ dialect: exactly(dialect) });
const isMessage = (data: unknown): data is Message => hasDialect(data);

/** The channel to the other pages of this origin with the same store. */
export class TabBus {
  readonly #channel: BroadcastChannel;
  #closed = false;

  constructor(name: string, take: (message: Message) => void) {
    this.#channel = new BroadcastChannel(`tailgate:${name}`);
    this.#channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (!this.#closed && isMessage(data)) take(data);
    });
  }

  post(message: Message): void {
    if (!this.#closed) this.#channel.postMessage({ ...message, dialect });
  }

  close(): void {
    this.#closed = true;
    this.#channel.close();
  }
}
