import type { RouteKey, Scope, StopResult } from '@tailgate/sync-protocol';
import type { CodeBook } from '../../codes/code-book.ts';
import type { CloseMode } from '../../routes/closing.ts';
import type { RouteFacts } from '../../routes/header.ts';
import type { LatestReport } from '../../reports/rules.ts';
import type { PlanLines } from '../../stops/plan-lines.ts';
import type { Queue } from '../change.ts';
import type { SignOut } from '../../auth/queue-sign-outs.ts';
import type { KnownMutation, QueueState } from './identity.ts';
import type { OpenRefusal } from './refusals.ts';

/** All data that the rules of a batch may read, loaded under its locks. */
export interface World {
  readonly clients: ReadonlyMap<string, LoadedClient>;
  /** By scope. A missing route does not exist: batches leave out routes that another transaction locks. */
  readonly routes: ReadonlyMap<string, LoadedRoute>;
  /** By `stopName`. */
  readonly stops: ReadonlyMap<string, LoadedStop>;
  /** By report id; new reports are missing. */
  readonly reports: ReadonlyMap<string, LatestReport>;
  /** By mutation id. */
  readonly known: ReadonlyMap<string, KnownMutation>;
  /** By `contentName`: quarantine entries with the same content and author. */
  readonly refused: ReadonlyMap<string, OpenRefusal>;
  readonly codes: CodeBook;
  readonly closeMode: CloseMode;
  readonly timerMs: number;
}

export interface LoadedClient extends QueueState {
  /** The version of the scope `client:…`, raised by each item that goes to quarantine. */
  readonly version: number;
  /** The phone itself has sent an item of the batch. An operator who submits its queue is not the phone. */
  readonly heard: boolean;
  /** An operator has revoked the queue. */
  readonly revoked: boolean;
  /** The driver was unregistered. Items recorded before this moment (ms since 1970) go to quarantine. */
  readonly quarantinedUntil: number;
  /** The end of the queue's session; loaded only for items pushed by the queue's key. */
  readonly signOut: SignOut | null;
}

export interface LoadedRoute {
  readonly scope: Scope;
  readonly facts: RouteFacts;
  readonly epoch: number;
  readonly version: number;
  readonly headerVersion: number;
  readonly late: number;
  /** Lines of its stops that are not on their plans (decision 75). */
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
  /** When the stop got this customer; null: with its first import. */
  readonly customerSince: Date | null;
  /** When the plan got these lines; null: with its first import. */
  readonly linesSince: Date | null;
  /** The stop's latest change; loaded only where a change is deduplicated by content. */
  readonly latest: LatestChange | null;
}

/** Compared only with a REST change without a key. `content` is the canonical text of the parsed arguments. */
export type LatestChange = { readonly employee: string } & (
  | { readonly name: string; readonly content: string }
  /** By REST: the stored body consists of the parsed arguments, so that equal hashes are equal requests. */
  | { readonly hash: Buffer }
);

export const stopName = (route: Scope, stop: number): string => `${route}/${stop}`;

/** A revoked queue counts as unknown: the client must say hello again, and the answer to hello reports it. */
export function hasQueue({ clients }: Pick<World, 'clients'>, { clientId, rescued = false }: Queue): boolean {
  const client = clients.get(clientId);
  return client !== undefined && (!client.revoked || rescued);
}
