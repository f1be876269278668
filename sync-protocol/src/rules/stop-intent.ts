import type { SkipRefuseArgs } from '../wire/mutation-args.ts';
import type { LineKind, LineUpdate, StopObject } from '../schema/stops.ts';

/**
 * Converts PUT skip-refuse and the mutation `stop.skip_refuse` into an update of their stop. The status is the explicit
 * one, else that of the type, else that of the reason code, else S (contract §4).
 *
 * @param stopException returns the meaning of a stop exception code: S, R, B or blank
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
 * Sets `delivered_by_driver_id` to the sent driver if that driver is on the route, else to the sending employee. Without
 * a delivery and a named driver it sets none, because apps send null with every save of a pending stop.
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
 * Replaces invoices that an app cannot determine by those of the item's manifest lines. This concerns lines without an
 * invoice, and collections under an invoice that their item does not have, because no GET returns it. For v20 it
 * concerns products in the same way. Of several manifest lines, the lines take in order those that the update does not
 * name. Products of the unprefixed set keep their invoice, because their GET returns it.
 *
 * @param paths the path set of the update; the channel uses the unprefixed set
 */
export function withPlannedInvoices(stop: StopObject, invoicesOf: InvoicesOf, paths?: 'v20' | 'current'): StopObject {
  const products = linesWithInvoices(stop, 'products', invoicesOf, paths === 'v20');
  const collections = linesWithInvoices(stop, 'collections', invoicesOf, true);
  return products === stop.products && collections === stop.collections ? stop : { ...stop, products, collections };
}

function linesWithInvoices(
  stop: StopObject,
  kind: LineKind,
  invoicesOf: InvoicesOf,
  isGuess: boolean,
): StopObject['products'] {
  const lines = stop[kind];
  const hasPlannedInvoice = ({ id, invoice }: LineUpdate): boolean =>
    (invoice !== '' && !isGuess) || invoicesOf(kind, id).includes(invoice);
  if (!lines || lines.every(hasPlannedInvoice)) return lines;
  /** The planned invoices of each item that no line names. */
  const remainingByItem = new Map<string, string[]>();
  for (const { id, invoice } of lines) {
    const remaining = remainingByItem.get(id) ?? [...invoicesOf(kind, id)];
    remainingByItem.set(id, remaining);
    const at = remaining.indexOf(invoice);
    if (at >= 0) remaining.splice(at, 1);
  }
  return lines.map((line): LineUpdate => {
    const invoice = hasPlannedInvoice(line) ? undefined : remainingByItem.get(line.id)?.shift();
    return invoice === undefined ? line : { ...line, invoice };
  });
}
