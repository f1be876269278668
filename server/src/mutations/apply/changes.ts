import type { RouteKey, Scope, StopResult, Warning } from '@tailgate/sync-protocol';
import type { Item } from '../change.ts';
import type { NewRevision } from '../../reports/rules.ts';
import type { Release, RepeatedRefusal } from '../quarantine/quarantine-sql.ts';
import type { QuarantineEntry } from './refusals.ts';
import type { LoadedClient, LoadedRoute } from './world.ts';

/** All rows that a batch writes. */
export interface Changes {
  readonly stops: {
    readonly key: RouteKey;
    readonly scope: Scope;
    readonly stop: number;
    readonly version: number;
    readonly before: number;
    readonly result: StopResult;
    /** The files that the stop names now; null where they are unchanged. */
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
  /** Duplicates that arrive on a new place of a queue. The next item of that queue links to them. */
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
    /** The mutation that set the stop to D: one mail for each. */
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
