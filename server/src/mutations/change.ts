import type {
  ErrorDetail,
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

/** Who changes something. */
export type Actor =
  | { readonly kind: 'driver'; readonly employee: string }
  | { readonly kind: 'office'; readonly user: string }
  | { readonly kind: 'timer' }
  /** Whoever called an endpoint that is open. */
  | { readonly kind: 'anybody' };

/** The path set whose rules apply: v20, or the unprefixed set (the sync channel, too). */
export type PathSet = 'v20' | 'current';

/** What the spine does of itself when a closing timer rings: no phone and no office can ask for it. */
export type TimedCommand = 'route.close';

/** How a change came. */
export type ChangeSource = 'sync' | 'rest' | 'office' | 'timer';

/** Arguments that the rules understand, whatever version they were written in. */
export type Command =
  | { readonly name: 'stop.update'; readonly args: StopUpdateArgs }
  | { readonly name: 'stop.skip_refuse'; readonly args: SkipRefuseArgs }
  | { readonly name: TimedCommand; readonly args: Json };

/** Mutations of a stop; a load condition report belongs to no route. */
export type RouteMutationName = Exclude<MutationName, 'report.load_condition'>;

/** A change without a queue. */
interface SingleChange {
  /** UUID. The same id with the same content is a duplicate; the pipeline refuses it with another content as reused. */
  readonly id: string;
  readonly receivedAt: Date;
  /** Whether the pipeline takes a content that it has already for a duplicate (REST without a key). */
  readonly dedupeByContent: boolean;
  /** Of the request that brings it, for logs and traces. */
  readonly requestId?: string;
}

/** One change by REST, the office or a timer. `dedupeByContent` compares with the stop's latest change by the same employee. */
export interface Change extends SingleChange {
  readonly name: RouteMutationName | TimedCommand;
  readonly version: number;
  /** Parsed arguments of that name and version (`mutationArgs`). */
  readonly args: Json;
  /** The same arguments as the edge has read them by their schema: the pipeline does not read them again. */
  readonly command?: Command;
  readonly route: RouteKey;
  readonly stop: number;
  readonly actor: Actor;
  readonly source: Exclude<ChangeSource, 'sync'>;
  readonly paths: PathSet;
  /** The edit time that orders this change; for REST its receipt. */
  readonly editTime: Date;
}

/** What became of one change. */
export type Outcome =
  | {
      readonly result: 'applied' | 'duplicate';
      /** The route version that contains it. */
      readonly version: number;
      /** The stop's own count of applied changes is not kept: this is the version of its result document. */
      readonly stopVersion: number;
      readonly status: string;
      readonly routeStatus: 'O' | 'C';
      /** Whether any value changed; false on an applied change means that all of it was stale or ignored. */
      readonly changed: boolean;
      readonly warnings: readonly Warning[];
    }
  | Quarantined;

/** Kept as it was sent, for the office. */
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
      /** When this content came first. */
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

/** A mutation as the quarantine keeps it. */
export interface KeptMutation {
  readonly id: string;
  /** Of `body`, as it was when it came. */
  readonly hash: Buffer;
  readonly body: Buffer;
  readonly name: string;
  readonly employee: string;
  readonly source: ChangeSource;
  readonly paths: PathSet;
  readonly capturedAt: Date | null;
  /** Null where none could be told: its receipt counts. */
  readonly editTime: Date | null;
  readonly receivedAt: Date;
  /** Where it stood in its queue; null where it came by none. */
  readonly place: QueuePlace | null;
}

export interface QueuePlace {
  readonly clientId: string;
  readonly seq: number;
  /** The link to the item before it, base64url; null for the first. */
  readonly prevHash: string | null;
}

/** A person's word that something which was kept is to be applied after all. */
export interface Decision {
  readonly by: string;
  readonly note: string;
}

/** A queue whose items are pushed, as the session knows it. */
export interface Queue {
  /** One object for each hello: after a fork nothing more of it is taken, whatever was in flight. */
  readonly session: object;
  readonly clientId: string;
  readonly employee: string;
  /**
   * Pushed with the queue's key, or by a connection whose session has ended. Each batch looks up whether the session that the
   * queue is tied to has ended: what was captured later is flagged.
   */
  readonly byKey?: boolean;
  /** An operator brings what a phone held: also where the queue was revoked, and applied where its driver was unregistered. */
  readonly rescued?: boolean;
  /** Of the request that brings its items, where no socket does. */
  readonly requestId?: string;
  /** The device's clocks as hello or the last ping read them, and what ours said at that moment. */
  readonly clock: {
    readonly bootId: string;
    readonly monotonicMs: number;
    readonly deviceNow: number;
    readonly serverNow: number;
  };
}

/** The answer to a push, in the order of its items; the frame `ack` without its type. */
export interface PushAnswer {
  readonly last_seq: number;
  readonly results: MutationResult[];
  readonly wants?: number;
  readonly fork?: number;
}

/** A document of a route scope as committed; `text` is its JSON. */
export interface CommittedDocument {
  readonly key: string;
  readonly version: number;
  readonly previousVersion: number;
  readonly text: string;
}

/** What one commit did to one route: the documents between the versions `from` (exclusive) and `to`. */
export interface RouteCommit {
  readonly key: RouteKey;
  readonly scope: Scope;
  readonly epoch: number;
  readonly from: number;
  readonly to: number;
  readonly documents: readonly CommittedDocument[];
  /** Of stops that name other files than before: whether some of them is not here. */
  readonly evidence: readonly { readonly stop: number; readonly awaited: boolean }[];
}

/** The only way in which results change (I1). */
export interface Pipeline {
  /** One change; resolves after the commit. Rejects only with a failure that may pass (`DATABASE_UNAVAILABLE`). */
  submit(change: Change): Promise<Outcome>;
  /** A load condition report, likewise. */
  submitReport(change: ReportChange): Promise<ReportOutcome>;
  /** Applies what was kept, as its author meant it; where it cannot be applied still, it stays as it is. */
  release(kept: KeptMutation, decision: Decision): Promise<Outcome | ReportOutcome>;
  /**
   * Items of one queue, in order, as they came in the frame; resolves after the commit of the last.
   * Rejects with `MalformedPush` where an item has no readable id or seq: then none was taken; with `UnknownQueue` where
   * the queue has to say hello again.
   */
  push(queue: Queue, items: readonly unknown[]): Promise<PushAnswer>;
  /**
   * Resolves, first come first served, when there is room for another push. Whoever waits for it before parsing a frame
   * keeps a storm in the sockets' buffers, where it costs the garbage collector nothing.
   */
  waitForCapacity(): Promise<void>;
  /** Called after each commit of this node, in version order for each route. Returns the way to stop. */
  onCommit(listener: (commits: readonly RouteCommit[]) => void): () => void;
  /** Waits for open batches; what still waits is rejected. */
  close(): Promise<void>;
}
