import type { AssignedRoute, Json, ReferenceCode, RouteKey } from '@tailgate/sync-protocol';
import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
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
import { follow, keepEqualParts, select } from '../platform/watch.ts';
import { useClient, useShownUploads } from './provider.ts';

/**
 * The value of a watch. The component renders only on a change, and unchanged parts retain their identity. All renders
 * of one pass see the same value, concurrent ones too. Create the watch once (`useMemo`), not in every render. A
 * receipt is a watch, too: `useWatch(receipt)` returns the progress of a change.
 */
export function useWatch<Value>(watch: Watch<Value>): Value {
  const [subscribe, read] = useMemo(
    () => [(listener: () => void) => watch.subscribe(listener), () => watch.current] as const,
    [watch],
  );
  return useSyncExternalStore(subscribe, read, read);
}

/** Connection state, pending changes and the latest fault. */
export function useStatus(): Status {
  return useWatch(useClient().status);
}

/** Whether the server has everything of the signed-in driver; renders only on a different answer. */
export function useCanSignOut(): boolean {
  const { status } = useClient();
  return useWatch(useMemo(() => select(status, canSignOut), [status]));
}

/** `useCanSignOut`, and the back office can read it; renders only on a different answer. */
export function useDayComplete(): boolean {
  const { status } = useClient();
  return useWatch(useMemo(() => select(status, dayComplete), [status]));
}

/** The signed-in driver. */
export function useDriver(): Driver | undefined {
  return useWatch(useClient().driver);
}

/** The driver's routes; the pending one first. */
export function useRoutes(): readonly AssignedRoute[] {
  return useWatch(useClient().routes);
}

/** Changes that the server could not apply; each one leaves the list once it is resolved and acknowledged. */
export function useReview(): readonly ReviewedChange[] {
  return useWatch(useClient().review);
}

/** Fields that lost against a later edit, without an acknowledgement. */
export function useConflicts(): readonly Conflict[] {
  return useWatch(useClient().conflicts);
}

/** A route; without a key the driver's pending one. Undefined until it was synced once. Equal keys are the same key. */
export function useRoute(key?: RouteKey): LocalRoute | undefined {
  const client = useClient();
  const same = useSameKey(key);
  return useWatch(useMemo(() => client.route(same), [client, same]));
}

/** A stop of a route; changes of other stops do not render the component. 999 is the warehouse. */
export function useStop(id: number, key?: RouteKey): LocalStop | undefined {
  const client = useClient();
  const same = useSameKey(key);
  return useWatch(useMemo(() => client.stop(id, same), [client, id, same]));
}

/** The availability of a route; `loading` differs from `none`. Without a key it is the driver's pending one. */
export function useRouteState(key?: RouteKey): RouteState {
  const client = useClient();
  const same = useSameKey(key);
  return useWatch(useMemo(() => routeState(client, same), [client, same]));
}

/** The progress of a change by its id, from `receipts` of a stop; undefined where this device does not have it. */
export function useReceipt(id: string | undefined): ReceiptState | undefined {
  const client = useClient();
  return useWatch(useMemo(() => receiptOf(client, id), [client, id]));
}

/**
 * A page may receive a change later than its id. Each change updates the status, so a new status repeats the lookup.
 */
function receiptOf(client: Client, id: string | undefined): Watch<ReceiptState | undefined> {
  if (id === undefined) return nothing;
  let receipt: Watch<ReceiptState> | undefined;
  return follow(client.status, () => (receipt ??= client.receipt(id)) ?? nothing);
}

const nothing: Watch<undefined> = { current: undefined, subscribe: () => () => {} };

/** This device's files: waiting, in progress, and failed. The provider needs the uploads. */
export function useUploads(): UploadStatus {
  return useWatch(useShownUploads().status);
}

/**
 * The driver's half-filled stop, and the call that sets it: like `useState`, and it survives a kill. A change of status
 * ends it. With `undefined` as the stop it is the form of the whole route, which no change ends.
 */
export function useDraft(
  id: number | undefined,
  key?: RouteKey,
): readonly [draft: Json | undefined, set: (draft: Json | undefined) => Promise<void>] {
  const client = useClient();
  const same = useSameKey(key);
  const draft = useMemo(
    () => (id === undefined ? client.routeDraft(same) : client.stop(id, same).draft),
    [client, id, same],
  );
  const shown = useWatch(draft);
  // In a page that does not lead, the leading page shows a value a moment later: too late for a text field.
  const [own, setOwn] = useState<{ readonly value: Json | undefined }>();
  const set = useCallback(
    async (value: Json | undefined) => {
      const saved = draft.set(value);
      const mine = { value };
      if (keepEqualParts(draft.current, value) !== draft.current) setOwn(mine);
      try {
        await saved;
      } finally {
        setOwn((latest) => (latest === mine ? undefined : latest));
      }
    },
    [draft],
  );
  return [own ? own.value : shown, set];
}

/** A reference code list, in the order of `sort`. */
export function useCodes(type: ReferenceCode['type']): readonly ReferenceCode[] {
  const client = useClient();
  return useWatch(useMemo(() => client.codes(type), [client, type]));
}

/** Subscribes to an event while the component is mounted; the listener may differ in every render. */
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

/** Apps write keys as literals: compares the parts, not the object. */
function useSameKey(key: RouteKey | undefined): RouteKey | undefined {
  const { facility, id, week_end } = key ?? {};
  return useMemo(
    () =>
      facility === undefined || id === undefined || week_end === undefined ? undefined : { facility, id, week_end },
    [facility, id, week_end],
  );
}
