import type { LineInput, LineKind, RouteKey } from '@tailgate/sync-protocol';
import { refusal } from './platform/errors.ts';
import type { Receipt } from './queue/receipt.ts';
import type { SkipInput, StopInput, UpdatesInput } from './queue/record.ts';
import type { LocalLine, LocalRoute, LocalStop } from './replica/local-route.ts';
import type { Watch } from './platform/watch.ts';
import { select } from './platform/watch.ts';

/** What is said of a line, by the `key` that the line shows. */
export interface LineChange extends NonNullable<LineInput['updates']> {
  readonly key: string;
  readonly action?: LineInput['action'];
}

/** What is said of a stop that was delivered. */
export interface DeliverInput extends Omit<UpdatesInput, 'status'> {
  /** Every product that is not in `products` was delivered as planned. */
  readonly asPlanned?: boolean;
  readonly products?: readonly LineChange[];
  readonly collections?: readonly LineChange[];
}

/**
 * A stop: a watch of it, and what a driver records there. Each call records one change and throws as `updateStop`; without
 * a key the stop is one of the driver's pending route.
 */
export interface StopHandle extends Watch<LocalStop | undefined> {
  /** Records the arrival. @param at when it was, where a time is to stand in `start_delivery_time` */
  arrive(at?: Date | string): Receipt;
  /** Records a delivery: status, fields of the stop, and lines by their keys. */
  deliver(input?: DeliverInput): Receipt;
  skip(fields?: Omit<SkipInput, 'status' | 'type'>): Receipt;
  refuse(fields?: Omit<SkipInput, 'status' | 'type'>): Receipt;
  /** Records anything else: a stop object of PUT route/stop without its id. */
  update(change: Omit<StopInput, 'id'>): Receipt;
}

/** The client on which a stop is. */
interface Deps {
  route(key?: RouteKey): Watch<LocalRoute | undefined>;
  updateStop(route: RouteKey, stop: StopInput): Receipt;
  skipStop(route: RouteKey, stopId: number, fields: SkipInput): Receipt;
}

export function stopHandle(client: Deps, id: number, key?: RouteKey): StopHandle {
  const route = client.route(key);
  const watch = select(route, (whole) => whole?.stops.find((stop) => stop.id === id));
  const routeKey = (): RouteKey => {
    const known = key ?? route.current?.key;
    if (!known) throw refusal('route', 'must be named: this device has none yet');
    return known;
  };
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
  };
}

/**
 * Lines as a stop object names them: by item and invoice, equal ones by their order. So those that stand before a line that
 * is meant are named, too, and say nothing.
 */
function linesOf(
  kind: LineKind,
  stop: LocalStop | undefined,
  changes: readonly LineChange[],
  asPlanned?: boolean,
): Partial<StopInput> {
  // Without a plan the delivery would count nothing.
  if (asPlanned && !stop) throw refusal('asPlanned', 'must wait for the plan of this stop');
  const planned: readonly PlannedLine[] = stop?.[kind] ?? [];
  const said = new Map(changes.map(({ key, action, ...updates }) => [key, { action, updates }]));
  const strange = changes.findIndex(({ key }) => !planned.some((line) => line.key === key));
  if (strange >= 0) throw refusal(`${kind}.${strange}.key`, 'must be the key of a line of this stop');
  const sent: LineInput[] = planned.flatMap(({ key, id, invoice, quantity }, i) => {
    const change = said.get(key) ?? (asPlanned ? { updates: { delivered: quantity } } : undefined);
    if (change) return [{ id, invoice, ...change }];
    const isBefore = planned.slice(i).some((line) => line.id === id && line.invoice === invoice && said.has(line.key));
    return isBefore ? [{ id, invoice }] : [];
  });
  return sent.length > 0 ? { [kind]: sent } : {};
}

type PlannedLine = LocalLine & { readonly id: string; readonly invoice: string; readonly quantity: number };
