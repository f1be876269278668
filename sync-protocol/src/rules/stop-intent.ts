import type { SkipRefuseArgs } from '../wire/mutation-args.ts';
import type { LineKind, LineUpdate, StopObject } from '../schema/stops.ts';

/**
 * PUT skip-refuse and the mutation `stop.skip_refuse` as an update of their stop. The status is the explicit one, else
 * the type's, else the reason code's, else S (contract §4).
 *
 * @param stopException what a code of the list of stop exceptions stands for: S, R, B or blank
 */
export function skipAsUpdate(args: SkipRefuseArgs, stopException: (code: string) => string | undefined): StopObject {
  const { skip_refuse_reason_code: reason, skip_refuse_timestamp, skip_refuse_driver_comment } = args;
  const isRefused = args.type ? args.type === 'refuse' : reason ? stopException(reason) === 'R' : false;
  const status = args.status ?? (isRefused ? 'R' : 'S');
  return {
    id: args.stop_id,
    updates: { status, skip_refuse_reason_code: reason, skip_refuse_timestamp, skip_refuse_driver_comment },
  };
}

/**
 * `delivered_by_driver_id` is the one that was sent if that driver is on the route, else the employee who sent it. Where
 * nothing is delivered and nobody named, nobody is put in: apps send null with every save of a pending stop.
 */
export function withDeliverer(
  stop: StopObject,
  employee: string,
  drivers: readonly { readonly id: string }[],
): StopObject {
  const { updates } = stop;
  if (!updates) return stop;
  const { status, delivered_by_driver_id: named } = updates;
  if (status !== 'D' && status !== 'C' && !named) return stop;
  const known = drivers.some((driver) => driver.id === named);
  return { ...stop, updates: { ...updates, delivered_by_driver_id: known ? named : employee } };
}

/** The invoices of all manifest lines of an item, in host order. */
export type InvoicesOf = (kind: LineKind, item: string) => readonly string[];

/**
 * Lines whose invoice no app can know get that of their item on the manifest: those that came without one, collections
 * under an invoice that their item does not have (no GET tells it), and such products of v20, whose GET tells none at
 * all. Of several manifest lines they take those that the update does not name, in order. Products of the unprefixed
 * set stay on the invoice that they name: there the app knows what it says.
 *
 * @param paths by which the update came; the channel knows the unprefixed ones only
 */
export function withPlannedInvoices(stop: StopObject, invoicesOf: InvoicesOf, paths?: 'v20' | 'current'): StopObject {
  const products = lentInvoices(stop, 'products', invoicesOf, paths === 'v20');
  const collections = lentInvoices(stop, 'collections', invoicesOf, true);
  return products === stop.products && collections === stop.collections ? stop : { ...stop, products, collections };
}

function lentInvoices(
  stop: StopObject,
  kind: LineKind,
  invoicesOf: InvoicesOf,
  guessed: boolean,
): StopObject['products'] {
  const lines = stop[kind];
  const isPlaced = ({ id, invoice }: LineUpdate): boolean =>
    (invoice !== '' && !guessed) || invoicesOf(kind, id).includes(invoice);
  if (!lines || lines.every(isPlaced)) return lines;
  const free = new Map<string, string[]>();
  return lines.map((line): LineUpdate => {
    if (isPlaced(line)) return line;
    const left = free.get(line.id) ?? unnamed(invoicesOf(kind, line.id), line.id, lines);
    free.set(line.id, left);
    const invoice = left.shift();
    return invoice === undefined ? line : { ...line, invoice };
  });
}

/** What of the planned invoices no line of this item names. */
function unnamed(planned: readonly string[], item: string, lines: readonly LineUpdate[]): string[] {
  const left = [...planned];
  for (const { id, invoice } of lines) {
    const at = id === item ? left.indexOf(invoice) : -1;
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}
