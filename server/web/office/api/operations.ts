import type { Operation } from '@tailgate/sync-protocol';
import type { opsOperations } from '../../../src/ops/operations.ts';

/**
 * The operations of the ops API that the console uses, by the name in the OpenAPI document. The types come from the
 * schemas that the document is printed from, as types alone: no code of the server enters the page (decision 118).
 */
export const operations = {
  readSignInWays: ['GET', '/ops/sign-in'],
  beginOidcSignIn: ['POST', '/ops/oidc'],
  finishOidcSignIn: ['POST', '/ops/oidc/sessions'],
  signInOperator: ['POST', '/ops/sessions'],
  readCaller: ['GET', '/ops/me'],
  signOutOperator: ['DELETE', '/ops/sessions/current'],
  changeOperatorPassword: ['POST', '/ops/password'],
  readAttention: ['GET', '/ops/attention'],
  retryParkedCause: ['POST', '/ops/parked/retry'],
  skipParkedCause: ['POST', '/ops/parked/skip'],
  listIncidents: ['GET', '/ops/incidents'],
  acknowledgeIncident: ['POST', '/ops/incidents/:incident_id/acknowledge'],
  listFlags: ['GET', '/ops/flags'],
  reviewFlags: ['POST', '/ops/flags/review'],
  listParked: ['GET', '/ops/parked'],
  readParked: ['GET', '/ops/parked/:parked_id'],
  retryParked: ['POST', '/ops/parked/:parked_id/retry'],
  skipParked: ['POST', '/ops/parked/:parked_id/skip'],
  repairParked: ['POST', '/ops/parked/:parked_id/repair'],
  listQuarantine: ['GET', '/ops/quarantine'],
  readQuarantined: ['GET', '/ops/quarantine/:quarantine_id'],
  releaseQuarantined: ['POST', '/ops/quarantine/:quarantine_id/release'],
  dismissQuarantined: ['POST', '/ops/quarantine/:quarantine_id/dismiss'],
  listDevices: ['GET', '/ops/devices'],
  rescueQueue: ['POST', '/ops/devices/:client_id/rescue'],
  revokeDevice: ['POST', '/ops/devices/:client_id/revoke'],
  readReplication: ['GET', '/ops/replication'],
  listHostLag: ['GET', '/ops/replication/lag'],
  listRouteBacklog: ['GET', '/ops/replication/routes'],
  listReconciliation: ['GET', '/ops/reconciliation'],
  readShadow: ['GET', '/ops/shadow'],
  readDoctor: ['GET', '/ops/doctor'],
  askDoctor: ['POST', '/ops/doctor'],
  readFirstLoad: ['GET', '/ops/first-load'],
  listDrills: ['GET', '/ops/restore-drills'],
  listHolds: ['GET', '/ops/hold'],
  beginHold: ['POST', '/ops/hold'],
  endHold: ['POST', '/ops/hold/:hold_id/end'],
  listLegalHolds: ['GET', '/ops/legal-hold'],
  placeLegalHold: ['POST', '/ops/legal-hold'],
  releaseLegalHold: ['POST', '/ops/legal-hold/:legal_hold_id/release'],
  previewProof: ['GET', '/ops/routes/:facility/:route_id/:week_end/stops/:stop_id/proof'],
  sendProof: ['POST', '/ops/routes/:facility/:route_id/:week_end/stops/:stop_id/proof'],
  previewEvidence: ['GET', '/ops/evidence/preview'],
  makeEvidence: ['GET', '/ops/evidence'],
  listEvidenceLinks: ['GET', '/ops/evidence/links'],
  makeEvidenceLink: ['POST', '/ops/evidence/links'],
  revokeEvidenceLink: ['POST', '/ops/evidence/links/:link_id/revoke'],
  verifyEvidence: ['POST', '/ops/evidence/verify'],
  verifyStopHistory: ['GET', '/ops/stop-history/verify'],
  readStopHistory: ['GET', '/ops/stop-history'],
  listRoutes: ['GET', '/ops/routes'],
  readOpsRoute: ['GET', '/ops/routes/:facility/:route_id/:week_end'],
  readOpsStop: ['GET', '/ops/routes/:facility/:route_id/:week_end/stops/:stop_id'],
  compareStop: ['GET', '/ops/routes/:facility/:route_id/:week_end/stops/:stop_id/comparison'],
  readOpsAsset: ['GET', '/ops/assets/:asset_id'],
  search: ['GET', '/ops/search'],
  followFeed: ['GET', '/ops/feed'],
} as const satisfies Partial<Record<keyof Operations, readonly [Method, `/ops/${string}`]>>;

type Method = 'GET' | 'POST' | 'DELETE';
type Operations = typeof opsOperations;
export type OperationName = keyof typeof operations;
/** Operations that read, such as lists. */
export type ReadName = {
  [Name in OperationName]: (typeof operations)[Name][0] extends 'GET' ? Name : never;
}[OperationName];

type PartsOf<Name extends OperationName> =
  Operations[Name] extends Operation<infer Body, infer Query, infer Data, infer Params, infer Meta>
    ? { body: Body; query: Query; data: Data; params: Params; meta: Meta }
    : never;

export type DataOf<Name extends OperationName> = PartsOf<Name>['data'];
/** Lists with pages. */
export type ListName = {
  [Name in ReadName]: PartsOf<Name>['meta'] extends { next_cursor: unknown } ? Name : never;
}[ReadName];
/** A row of a list. */
export type RowOf<Name extends ListName> = DataOf<Name> extends readonly (infer Row)[] ? Row : never;
/** Absent fields have the defaults of the document. */
export type QueryOf<Name extends OperationName> = PartsOf<Name>['query'] extends infer Query extends object
  ? { readonly [Field in keyof Query]?: Query[Field] | undefined }
  : never;

type Part<Key extends string, Value> = [Value] extends [undefined] ? unknown : { readonly [Each in Key]: Value };

/** The input of an operation: the parts that it has. */
export type InputOf<Name extends OperationName> = Part<'params', PartsOf<Name>['params']> &
  Part<'body', PartsOf<Name>['body']> & { readonly query?: QueryOf<Name> };

/** An input of any operation. */
export interface AnyInput {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

export interface Answer<Data> {
  readonly data: Data;
  /** The cursor of the next page of a list; null after the last one. */
  readonly nextCursor: string | null;
  readonly etag: string | null;
}
