import type { RouteKey, Scope, StopResult, Warning } from '@tailgate/sync-protocol';
import type { Decision } from '../change.ts';
import type { Item } from '../item.ts';
import type { QuarantineEntry, RepeatedRefusal } from './refusals.ts';
import type { NewRevision } from './report-fold.ts';
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
  /** Of what was kept there before without a queue, what came again and is refused still. */
  readonly refusedAgain: readonly RepeatedRefusal[];
  /** Mutations that were kept there before and are applied now, by whose word. */
  readonly released: readonly (Decision & {
    /** The id under which it was kept. */
    readonly id: string;
    /** The route version that contains it; null for a report. */
    readonly version: number | null;
  })[];
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
