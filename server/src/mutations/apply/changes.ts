import type { RouteKey, Scope, StopResult, Warning } from '@tailgate/sync-protocol';
import type { Item } from '../item.ts';
import type { NewRevision } from '../../reports/rules.ts';
import type { Release, RepeatedRefusal } from '../quarantine/quarantine-sql.ts';
import type { QuarantineEntry } from './refusals.ts';
import type { LoadedClient, LoadedRoute } from './world.ts';

/** Everything that a batch writes. */
export interface Changes {
  readonly stops: {
    readonly key: RouteKey;
    readonly scope: Scope;
    readonly stop: number;
    readonly version: number;
    readonly before: number;
    readonly result: StopResult;
    /** The files that it names now; null where it names those that it named before. */
    readonly evidence: ReadonlySet<string> | null;
  }[];
  readonly routes: { readonly before: LoadedRoute; readonly after: LoadedRoute }[];
  readonly clients: LoadedClient[];
  readonly reports: readonly NewRevision[];
  readonly ledger: LedgerEntry[];
  readonly quarantine: readonly QuarantineEntry[];
  /** Contents without a queue that were in quarantine before, came again and are refused again. */
  readonly refusedAgain: readonly RepeatedRefusal[];
  readonly released: readonly Release[];
  /** Items of a queue that had come before, by another one: what its next item is linked to. */
  readonly repeated: readonly Item[];
  readonly incidents: {
    readonly kind: string;
    readonly clientId: string;
    readonly employee: string;
    readonly details: string;
  }[];
  readonly mails: {
    readonly key: RouteKey;
    readonly stop: number;
    /** The mutation that brought the stop to D: one mail for each. */
    readonly mutation: string;
    readonly paths: 'v20' | 'current';
  }[];
}

export interface LedgerEntry {
  readonly item: Item;
  readonly key: RouteKey;
  readonly stop: number;
  readonly version: number;
  readonly editTime: number;
  readonly result: 'applied' | 'duplicate';
  readonly warnings: readonly Warning[];
}
