import type { Act } from '../acts/sql.ts';
import type {
  ErrorDetail,
  InstantField,
  Json,
  LoadConditionReport,
  MutationName,
  MutationResult,
  RouteKey,
  Scope,
  SkipRefuseArgs,
  StopUpdateArgs,
  Warning,
} from '@tailgate/sync-protocol';

/** The author of a change. */
export type Actor =
  | { readonly kind: 'driver'; readonly employee: string }
  | { readonly kind: 'office'; readonly user: string }
  | { readonly kind: 'timer' }
  /** A caller of an open endpoint. */
  | { readonly kind: 'anonymous' };

/** The path set whose rules apply: v20, or the unprefixed set. The sync channel uses the unprefixed rules. */
export type PathSet = 'v20' | 'current';

/** A command that only a closing timer submits. Phones and the office cannot ask for it. */
export type TimedCommand = 'route.close';

/** The way by which a change arrived. */
export type ChangeSource = 'sync' | 'rest' | 'office' | 'timer';

/** Arguments in the newest version, as the rules take them. */
export type Command =
  | { readonly name: 'stop.update'; readonly args: StopUpdateArgs }
  | { readonly name: 'stop.skip_refuse'; readonly args: SkipRefuseArgs }
  | { readonly name: TimedCommand; readonly args: Json };

/** Mutations of a stop; a load condition report belongs to no route. */
export type RouteMutationName = Exclude<MutationName, 'report.load_condition'>;

/** An item's place in its queue, and its device's clocks. */
export interface QueueItem {
  readonly queue: Queue;
  readonly seq: number;
  readonly prevHash: string | null;
  readonly bootId: string;
  readonly monotonicMs: number;
  /** The earliest measured time of an item behind this one in its push; ms since 1970. */
  readonly notAfter?: number;
}

/**
 * One mutation on its way through a batch. `hash` is the hash of `body`, its content as RFC 8785 text. The id and the
 * hash are its identity.
 */
export interface Item {
  readonly id: string;
  readonly hash: Buffer;
  readonly body: string;
  readonly name: string;
  readonly source: ChangeSource;
  readonly actor: Actor;
  readonly paths: PathSet;
  readonly receivedAt: Date;
  readonly capturedAt: Date | null;
  /** Set for changes without a queue. An item of a queue gets its edit time once its predecessors are known. */
  readonly editTime: Date | null;
  readonly queued: QueueItem | null;
  readonly dedupeByContent: boolean;
  readonly meaning: Meaning;
  /** The request that brought it, if one did. */
  readonly requestId?: string | undefined;
  /** Set where an operator releases a quarantined mutation. Its queue, if it has one, has gone on. */
  readonly release?: Decision & { readonly place: QueuePlace | null };
  /** The operator's act that brings it; its transaction records it. */
  readonly act?: Act | undefined;
}

/** The command of an item, or the reason why the server cannot read it. */
export type Meaning =
  | CommandMeaning
  | { readonly kind: 'report'; readonly report: LoadConditionReport }
  | { readonly kind: 'unreadable'; readonly fault: Fault };

export interface CommandMeaning {
  readonly kind: 'command';
  readonly route: RouteKey;
  /** The route's scope. Every step needs it, so it is computed once. */
  readonly scope: Scope;
  readonly stop: number;
  readonly command: Command;
  /** Fields that the device read off its own clock. They share the clock error of the edit. */
  readonly deviceTimes: readonly InstantField[];
}

export interface Fault {
  readonly code: QuarantineCode;
  readonly reason: string;
  readonly details: readonly ErrorDetail[];
}

/** Fields of an item that a change without a queue brings. */
type SingleChange = Pick<Item, 'id' | 'receivedAt' | 'dedupeByContent' | 'requestId' | 'act'>;

/** One change by REST, the office or a timer. `dedupeByContent` compares with the stop's latest change by the same employee. */
export interface Change extends SingleChange, Pick<Item, 'actor' | 'paths'> {
  readonly name: RouteMutationName | TimedCommand;
  readonly version: number;
  /** Parsed arguments of that name and version (`mutationArgs`). */
  readonly args: Json;
  /** The same arguments as the edge has read them by their schema: the pipeline does not read them again. */
  readonly command?: Command;
  readonly route: RouteKey;
  readonly stop: number;
  readonly source: Exclude<ChangeSource, 'sync'>;
  /** The edit time that orders this change; for REST its receipt. */
  readonly editTime: Date;
}

/** The outcome of one change. */
export type Outcome =
  | {
      readonly result: 'applied' | 'duplicate';
      /** The route version that contains it. */
      readonly version: number;
      /** The version of the stop's result document. */
      readonly stopVersion: number;
      readonly status: string;
      readonly routeStatus: 'O' | 'C';
      /** Whether any value changed. False on an applied change: every value was stale or ignored. */
      readonly changed: boolean;
      readonly warnings: readonly Warning[];
    }
  | Quarantined;

/** The quarantine stores the change as it was sent, for the office. */
export interface Quarantined {
  readonly result: 'quarantined';
  readonly code: QuarantineCode;
  readonly reason: string;
  readonly details: readonly ErrorDetail[];
}

/** One load condition report by REST. `dedupeByContent` compares with the latest revision. */
export interface ReportChange extends SingleChange {
  readonly report: LoadConditionReport;
}

export type ReportOutcome =
  | {
      readonly result: 'reported';
      readonly duplicate: boolean;
      /** The first receipt of this content. */
      readonly receivedAt: Date;
      readonly warnings: readonly Warning[];
    }
  | Quarantined;

export type QuarantineCode =
  | 'VALIDATION_FAILED'
  | 'UNKNOWN_MUTATION'
  | 'ROUTE_NOT_FOUND'
  | 'STOP_NOT_FOUND'
  | 'NOT_ASSIGNED'
  | 'CLIENT_REVOKED'
  | 'ID_REUSED'
  | 'INTERNAL';

export interface QueuePlace {
  readonly clientId: string;
  readonly seq: number;
  /** The link to the previous item, base64url; null for the first. */
  readonly prevHash: string | null;
}

/** An operator's decision about a quarantined mutation. */
export interface Decision {
  readonly by: string;
  readonly note: string;
}

/** A queue, as the session that pushes its items describes it. */
export interface Queue {
  /** One object for each hello. After a fork the pipeline takes no further item of this session. */
  readonly session: object;
  readonly clientId: string;
  readonly employee: string;
  /**
   * Pushed with the queue's key, or by a connection whose session has ended. Each batch checks whether the queue's
   * session has ended, and flags later changes.
   */
  readonly byKey?: boolean;
  /**
   * An operator imports what a phone had queued. This works for a revoked queue, and applies items of an unregistered
   * driver.
   */
  readonly rescued?: boolean;
  /** The request that brings the items, without a socket. */
  readonly requestId?: string;
  /** The device's clocks at hello or the last ping, and the server's clock at that moment. */
  readonly clock: {
    readonly bootId: string;
    readonly monotonicMs: number;
    readonly deviceNow: number;
    readonly serverNow: number;
  };
}

/** The answer to a push, in the order of its items: the frame `ack` without its type. */
export interface PushAnswer {
  readonly last_seq: number;
  readonly results: MutationResult[];
  readonly wants?: number;
  readonly fork?: number;
}

/** A committed document of a route scope; `text` is its JSON. */
export interface CommittedDocument {
  readonly key: string;
  readonly version: number;
  readonly previousVersion: number;
  readonly text: string;
}

/** The effect of one commit on one route: the documents between the versions `from` (exclusive) and `to`. */
export interface RouteCommit {
  readonly key: RouteKey;
  readonly scope: Scope;
  readonly epoch: number;
  readonly from: number;
  readonly to: number;
  readonly documents: readonly CommittedDocument[];
  /** Stops that name other files than before, and whether some of those files are missing. */
  readonly evidence: readonly { readonly stop: number; readonly awaited: boolean }[];
}

/** The only way in which results change (I1). */
export interface Pipeline {
  /**
   * Submits one change; resolves after the commit. Rejects only with a failure that may pass (`DATABASE_UNAVAILABLE`).
   */
  submit(change: Change): Promise<Outcome>;
  /** Submits a load condition report in the same way. */
  submitReport(change: ReportChange): Promise<ReportOutcome>;
  /** Applies a quarantined mutation in its author's name. It stays in quarantine where the rules still refuse it. */
  release(item: Item): Promise<Outcome | ReportOutcome>;
  /**
   * Submits items of one queue in the order of their frame; resolves after the commit of the last.
   * Rejects with `MalformedPush` where an item has no readable id or seq, and takes none of them. Rejects with
   * `UnknownQueue` where the queue must say hello again.
   */
  push(queue: Queue, items: readonly unknown[]): Promise<PushAnswer>;
  /**
   * Resolves in order of the calls, when there is room for another push. A caller that waits before it parses a frame
   * keeps a storm in the sockets' buffers, which spares the garbage collector.
   */
  waitForCapacity(): Promise<void>;
  /** Whether more changes wait for their commit than a single one takes in passing. */
  readonly isBusy: boolean;
  /** Resolves when the pipeline is not busy, or closes. */
  whenCalm(): Promise<void>;
  /**
   * Registers a listener for each commit of this node, in version order for each route. Returns a function that removes
   * it.
   */
  onCommit(listener: (commits: readonly RouteCommit[]) => void): () => void;
  /** Waits for open batches and rejects the items that are still queued. */
  close(): Promise<void>;
}
