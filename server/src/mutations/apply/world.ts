import type { RouteKey, Scope, StopResult } from '@tailgate/sync-protocol';
import type { CodeBook } from '../../codes/code-book.ts';
import type { CloseMode } from '../../routes/closing.ts';
import type { RouteFacts } from '../../routes/header.ts';
import type { StandingReport } from '../../reports/rules.ts';
import type { PlanLines } from '../../stops/plan-lines.ts';
import type { Queue } from '../change.ts';
import type { SignOut } from '../../auth/queue-sign-outs.ts';
import type { KnownMutation, QueueState } from './identity.ts';
import type { StandingRefusal } from './refusals.ts';

/** All that a batch's rules may look at, as loaded under its locks. */
export interface World {
  readonly clients: ReadonlyMap<string, LoadedClient>;
  /** By scope. A route that is missing does not exist; one that another transaction holds is never in a batch. */
  readonly routes: ReadonlyMap<string, LoadedRoute>;
  /** By `stopName`. */
  readonly stops: ReadonlyMap<string, LoadedStop>;
  /** By report id; those that are not there yet are missing. */
  readonly reports: ReadonlyMap<string, StandingReport>;
  /** By mutation id. */
  readonly known: ReadonlyMap<string, KnownMutation>;
  /** By `contentName`: what is in quarantine of the same content from the same author. */
  readonly refused: ReadonlyMap<string, StandingRefusal>;
  readonly codes: CodeBook;
  readonly closeMode: CloseMode;
  readonly timerMs: number;
}

export interface LoadedClient extends QueueState {
  /** The version of the scope `client:…`, raised by each item that goes to quarantine. */
  readonly version: number;
  /** An operator has ended it. */
  readonly revoked: boolean;
  /** Its driver was unregistered: what was recorded before this moment (ms since 1970) goes to quarantine. */
  readonly heldUntil: number;
  /** Where the session has ended that it is tied to; looked up only for what comes by the queue's key. */
  readonly signOut: SignOut | null;
}

export interface LoadedRoute {
  readonly scope: Scope;
  readonly facts: RouteFacts;
  readonly epoch: number;
  readonly version: number;
  readonly headerVersion: number;
  readonly late: number;
  /** Lines of its stops that their plans do not have (decision 75). */
  readonly unknownLines: number;
  /** The latest time of a writer of its stops, ms since 1970; null before the first (decision 97). */
  readonly newestStamp: number | null;
}

/** A stop that a batch touches. */
export interface WantedStop {
  readonly key: RouteKey;
  readonly scope: Scope;
  readonly stop: number;
}

export interface LoadedStop {
  readonly result: StopResult;
  readonly version: number;
  readonly lines: PlanLines;
  readonly removed: boolean;
  /** Since when it is this customer's; null: since it was first seen. */
  readonly customerSince: Date | null;
  /** Since when these lines are planned; null: since it was first seen. */
  readonly linesSince: Date | null;
  /** The stop's latest change; loaded only where a change is deduplicated by content. */
  readonly latest: LatestChange | null;
}

/** Only a REST change without a key is compared with it; `content` is the canonical text of the parsed arguments. */
export type LatestChange = { readonly employee: string } & (
  | { readonly name: string; readonly content: string }
  /** By REST: what was stored is made of the parsed arguments, so that equal hashes are equal requests. */
  | { readonly hash: Buffer }
);

export const stopName = (route: Scope, stop: number): string => `${route}/${stop}`;

/** A queue that an operator has revoked is one that we do not know: it has to say hello again, which tells it. */
export function knowsQueue({ clients }: Pick<World, 'clients'>, { clientId, rescued = false }: Queue): boolean {
  const client = clients.get(clientId);
  return client !== undefined && (!client.revoked || rescued);
}
