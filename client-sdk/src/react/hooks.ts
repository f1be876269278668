import type { AssignedRoute, ReferenceCode, RouteKey } from '@tailgate/sync-protocol';
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import type { Client, Driver } from '../client.ts';
import type { ClientEvents, Conflict } from '../engine/events.ts';
import type { ReviewedChange } from '../engine/inbox.ts';
import type { ReceiptState } from '../queue/receipt.ts';
import type { LocalRoute, LocalStop } from '../replica/local-route.ts';
import type { RouteState } from '../route-state.ts';
import { routeState } from '../route-state.ts';
import type { Status } from '../engine/status.ts';
import { canSignOut, dayComplete } from '../engine/status.ts';
import type { UploadStatus } from '../uploads/uploads.ts';
import type { Watch } from '../platform/watch.ts';
import { follow, select } from '../platform/watch.ts';
import { useClient, useShownUploads } from './provider.ts';

/**
 * The value of a watch, rendered anew whenever it changes, and only then: parts that did not change keep their identity.
 * All renders of one pass see the same value, concurrent ones too. Make the watch once (`useMemo`), not in every render.
 * A receipt is a watch, too: `useWatch(receipt)` is where a change stands.
 */
export function useWatch<Value>(watch: Watch<Value>): Value {
  const [subscribe, read] = useMemo(
    () => [(listener: () => void) => watch.subscribe(listener), () => watch.current] as const,
    [watch],
  );
  return useSyncExternalStore(subscribe, read, read);
}

/** Connection, what is pending, what went wrong last. */
export function useStatus(): Status {
  return useWatch(useClient().status);
}

/** Whether the server has everything of who works with this device; rendered anew only when the answer is another. */
export function useCanSignOut(): boolean {
  const { status } = useClient();
  return useWatch(useMemo(() => select(status, canSignOut), [status]));
}

/** Whether that is so and the back office can read it; rendered anew only when the answer is another. */
export function useDayComplete(): boolean {
  const { status } = useClient();
  return useWatch(useMemo(() => select(status, dayComplete), [status]));
}

/** Who works with this device. */
export function useDriver(): Driver | undefined {
  return useWatch(useClient().driver);
}

/** The driver's routes; the pending one first. */
export function useRoutes(): readonly AssignedRoute[] {
  return useWatch(useClient().routes);
}

/** Changes that the server could not apply; each is gone from here once it is done, and acknowledged. */
export function useReview(): readonly ReviewedChange[] {
  return useWatch(useClient().review);
}

/** Fields that lost against a later edit and were not acknowledged. */
export function useConflicts(): readonly Conflict[] {
  return useWatch(useClient().conflicts);
}

/** A route, without a key the driver's pending one; undefined until it was synced once. An equal key is the same key. */
export function useRoute(key?: RouteKey): LocalRoute | undefined {
  const client = useClient();
  const same = useSameKey(key);
  return useWatch(useMemo(() => client.route(same), [client, same]));
}

/** A stop of a route; a component that shows one stop is left alone while others change. 999 is the warehouse. */
export function useStop(id: number, key?: RouteKey): LocalStop | undefined {
  const client = useClient();
  const same = useSameKey(key);
  return useWatch(useMemo(() => client.stop(id, same), [client, id, same]));
}

/** Why a route shows, or does not: `loading` is not `none`. Without a key it is the driver's pending one. */
export function useRouteState(key?: RouteKey): RouteState {
  const client = useClient();
  const same = useSameKey(key);
  return useWatch(useMemo(() => routeState(client, same), [client, same]));
}

/** How far a change has come, by its id, as `receipts` of a stop has them; undefined where this device does not know it. */
export function useReceipt(id: string | undefined): ReceiptState | undefined {
  const client = useClient();
  return useWatch(useMemo(() => receiptOf(client, id), [client, id]));
}

/** A page may hear of a change later than of its id. The status counts each change, so it is looked for with the status. */
function receiptOf(client: Client, id: string | undefined): Watch<ReceiptState | undefined> {
  if (id === undefined) return nothing;
  let receipt: Watch<ReceiptState> | undefined;
  return follow(client.status, () => (receipt ??= client.receipt(id)) ?? nothing);
}

const nothing: Watch<undefined> = { current: undefined, subscribe: () => () => {} };

/** What of this device's files waits, is under way, or cannot be sent. The provider has to have them. */
export function useUploads(): UploadStatus {
  return useWatch(useShownUploads().status);
}

/** A reference code list, in the order of `sort`. */
export function useCodes(type: ReferenceCode['type']): readonly ReferenceCode[] {
  const client = useClient();
  return useWatch(useMemo(() => client.codes(type), [client, type]));
}

/** Hears an event while the component is mounted; the listener may be another one in every render. */
export function useClientEvent<Name extends keyof ClientEvents>(
  name: Name,
  listener: (event: ClientEvents[Name]) => void,
): void {
  const client = useClient();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => client.on(name, (event) => latest.current(event)), [client, name]);
}

/** Apps write keys as literals: the parts are compared, not the object. */
function useSameKey(key: RouteKey | undefined): RouteKey | undefined {
  const { facility, id, week_end } = key ?? {};
  return useMemo(
    () =>
      facility === undefined || id === undefined || week_end === undefined ? undefined : { facility, id, week_end },
    [facility, id, week_end],
  );
}
