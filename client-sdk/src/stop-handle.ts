import type { Json, LineInput, LineKind, RouteKey } from '@tailgate/sync-protocol';
import { refusal } from './platform/errors.ts';
import type { Receipt } from './queue/receipt.ts';
import type { SkipInput, StopInput, UpdatesInput } from './queue/record.ts';
import type { LocalLine, LocalRoute, LocalStop } from './replica/local-route.ts';
import type { Watch } from './platform/watch.ts';
import { select } from './platform/watch.ts';

/** A change of a line, by the `key` of the line in the view. */
export interface LineChange extends NonNullable<LineInput['updates']> {
  readonly key: string;
  readonly action?: LineInput['action'];
}

/** The fields of a delivery. */
export interface DeliverInput extends Omit<UpdatesInput, 'status'> {
  /** Records every product that is not in `products` as delivered as planned. One in `products` has its fields only. */
  readonly asPlanned?: boolean;
  readonly products?: readonly LineChange[];
  readonly collections?: readonly LineChange[];
}

/**
 * A stop: its view to watch, and the calls that record changes. Each call records one change and throws as
 * `updateStop`. Without a key the stop belongs to the driver's pending route.
 */
export interface StopHandle extends Watch<LocalStop | undefined> {
  /** Records the arrival. @param at the value of `start_delivery_time`, if any */
  arrive(at?: Date | string): Receipt;
  /** Records a delivery: status, fields of the stop, and lines by their keys. */
  deliver(input?: DeliverInput): Receipt;
  skip(fields?: Omit<SkipInput, 'status' | 'type'>): Receipt;
  refuse(fields?: Omit<SkipInput, 'status' | 'type'>): Receipt;
  /** Records any other change: a stop object of PUT route/stop without its id. */
  update(change: Omit<StopInput, 'id'>): Receipt;
  /** The driver has seen the office's edits: empties `unseen`. Resolves when that is on the disk. */
  seen(): Promise<void>;
  /** The driver's half-filled stop on this device; a recorded status (not `P`) ends it in the same write. */
  readonly draft: StopDraft;
}

/** A half-filled stop, or a form for a whole route: any JSON of the app. Only the driver who set it sees it. */
export interface StopDraft extends Watch<Json | undefined> {
  /**
   * The view shows it at once, in a page that does not lead a moment later. Resolves when it, or a later one, is on the
   * disk; `undefined` deletes it. Rejects as the client's `setDraft`.
   */
  set(draft: Json | undefined): Promise<void>;
}

/** The part of the client that a stop handle uses. */
interface Deps {
  route(key?: RouteKey): Watch<LocalRoute | undefined>;
  updateStop(route: RouteKey, stop: StopInput): Receipt;
  skipStop(route: RouteKey, stopId: number, fields: SkipInput): Receipt;
  markSeen(route: RouteKey, stop: number): Promise<void>;
  setDraft(route: RouteKey | undefined, stop: number | undefined, draft: Json | undefined): Promise<void>;
}

export function stopHandle(client: Deps, id: number, key?: RouteKey): StopHandle {
  const route = client.route(key);
  const watch = select(route, (whole) => whole?.stops.find((stop) => stop.id === id));
  const routeKey = (): RouteKey => keyOf(route, key);
  const update = (change: Omit<StopInput, 'id'>): Receipt => client.updateStop(routeKey(), { ...change, id });
  return {
    get current() {
      return watch.current;
    },
    subscribe: (listener) => watch.subscribe(listener),
    update,
    arrive: (at) => update({ arrived: true, ...(at !== undefined && { updates: { start_delivery_time: at } }) }),
    deliver({ asPlanned, products = [], collections = [], ...fields } = {}) {
      const { current } = watch;
      return update({
        updates: { ...fields, status: 'D' },
        ...linesOf('products', current, products, asPlanned),
        ...linesOf('collections', current, collections),
      });
    },
    skip: (fields) => client.skipStop(routeKey(), id, { ...fields, status: 'S' }),
    refuse: (fields) => client.skipStop(routeKey(), id, { ...fields, status: 'R' }),
    seen: async () => client.markSeen(routeKey(), id),
    draft: Object.assign(
      select(watch, (stop) => stop?.draft),
      {
        set: async (draft: Json | undefined) => client.setDraft(routeKey(), id, draft),
      },
    ),
  };
}

/** As `routeDraft` of the client. */
export function routeDraft(client: Deps, key?: RouteKey): StopDraft {
  const route = client.route(key);
  return Object.assign(
    select(route, (whole) => whole?.draft),
    { set: async (draft: Json | undefined) => client.setDraft(keyOf(route, key), undefined, draft) },
  );
}

function keyOf(route: Watch<LocalRoute | undefined>, given: RouteKey | undefined): RouteKey {
  const known = given ?? route.current?.key;
  if (!known) throw refusal('route', 'must be named: this device has none yet');
  return known;
}

/**
 * Converts lines to the form of a stop object, which identifies them by item and invoice, and equal ones by their
 * order. Equal lines before a changed one are therefore sent without values.
 */
function linesOf(
  kind: LineKind,
  stop: LocalStop | undefined,
  changes: readonly LineChange[],
  asPlanned?: boolean,
): Partial<StopInput> {
  // Without a plan the delivery would have no quantities.
  if (asPlanned && !stop) throw refusal('asPlanned', 'needs the plan of this stop: this device has none');
  const planned: readonly PlannedLine[] = stop?.[kind] ?? [];
  const byKey = new Map(changes.map(({ key, action, ...updates }) => [key, { action, updates }]));
  const unknownKey = changes.findIndex(({ key }) => !planned.some((line) => line.key === key));
  if (unknownKey >= 0) throw refusal(`${kind}.${unknownKey}.key`, 'must be the key of a line of this stop');
  if (byKey.size < changes.length) throw refusal(kind, 'must name each line once');
  const sent: LineInput[] = planned.flatMap(({ key, id, invoice, quantity }, i) => {
    const change = byKey.get(key) ?? (asPlanned ? { updates: { delivered: quantity } } : undefined);
    if (change) return [{ id, invoice, ...change }];
    const isBefore = planned.slice(i).some((line) => line.id === id && line.invoice === invoice && byKey.has(line.key));
    return isBefore ? [{ id, invoice }] : [];
  });
  return sent.length > 0 ? { [kind]: sent } : {};
}

type PlannedLine = LocalLine & { readonly id: string; readonly invoice: string; readonly quantity: number };
