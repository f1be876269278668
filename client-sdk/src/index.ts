export type { Author, Client, Driver } from './client.ts';
export { driverMemo } from './driver-memo.ts';
export type { Timing } from './connection/machine.ts';
export type { ClientOptions } from './create-client.ts';
export { createClient } from './create-client.ts';
export type {
  AssignedRoute,
  CollectionView,
  ErrorDetail,
  Json,
  LineInput,
  OfficeEdit,
  OsdEntryInput,
  OsdInput,
  OverageInput,
  ProductView,
  ReferenceCode,
  RouteKey,
  Scope,
  StopObjectInput,
  WarningCode,
} from '@tailgate/sync-protocol';
export type { AccountDiagnostics, Diagnostics, QueueDiagnostics, ScopeDiagnostics } from './engine/diagnostics.ts';
export type { Clock, Environment, Randomness, Socket, SocketEvent } from './platform/environment.ts';
export { Closed, InvalidChange, NotSignedIn, Quarantined, Unreachable, Withdrawn } from './platform/errors.ts';
export type { Amendment, ClientEvents, Conflict, FieldEdit, RemoteEdit } from './engine/events.ts';
export type { ReviewedChange, ReviewEntry } from './engine/inbox.ts';
export type { ChangeWarning } from './queue/item.ts';
export type { Withdrawal } from './engine/sync-engine.ts';
export type { Receipt, ReceiptState } from './queue/receipt.ts';
export type { SkipInput, StopInput, UpdatesInput } from './queue/record.ts';
export type { LocalLine, LocalProduct, LocalRoute, LocalStop, StopWarning } from './replica/local-route.ts';
export type { RouteState } from './route-state.ts';
export { routeState } from './route-state.ts';
export type { SignInInput, SignInResult } from './session/auth-calls.ts';
export type { ConnectionStatus, Status, Trouble } from './engine/status.ts';
export type { IndexedDbOptions } from './store/indexeddb.ts';
export { openIndexedDb } from './store/indexeddb.ts';
export { MemoryStore } from './store/memory.ts';
export type { DeliverInput, LineChange, StopDraft, StopHandle } from './stop-handle.ts';
export type { Durability, Row, Store, StoreChange, Table } from './store/store.ts';
export { tables } from './store/store.ts';
export type { SharedStore } from './tabs/shared-store.ts';
export { StoreInUse } from './tabs/tab-client.ts';
export type { UploadDeps, UploadsPart } from './upload-port.ts';
export type { Watch } from './platform/watch.ts';
