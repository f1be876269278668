import type { SkipRefuseArgs } from './mutation.ts';
import type { LineUpdate, StopObject } from './stops.ts';

/**
 * PUT skip-refuse and the mutation `stop.skip_refuse` as an update of their stop. The status is the explicit one, else
 * the type's, else the reason code's, else S (contract §4).
 *
 * @param stopException what a code of the list of stop exceptions stands for: S, R, B or blank
 */
export function skipAsUpdate(args: SkipRefuseArgs, stopException: (code: string) => string | undefined): StopObject {
  const { skip_refuse_reason_code: reason, skip_refuse_timestamp, skip_refuse_driver_comment } = args;
  const asked = args.status ?? (args.type === 'refuse' ? 'R' : args.type === 'skip' ? 'S' : undefined);
  const status = asked ?? (reason && stopException(reason) === 'R' ? 'R' : 'S');
  return {
    id: args.stop_id,
    updates: { status, skip_refuse_reason_code: reason, skip_refuse_timestamp, skip_refuse_driver_comment },
  };
}

/** `delivered_by_driver_id` is the one that was sent if that driver is on the route, else the employee who sent it. */
export function withDeliverer(
  stop: StopObject,
  employee: string,
  drivers: readonly { readonly id: string }[],
): StopObject {
  const { updates } = stop;
  if (!updates || (updates.status !== 'D' && updates.delivered_by_driver_id === undefined)) return stop;
  const named = updates.delivered_by_driver_id;
  const known = drivers.some((driver) => driver.id === named);
  return { ...stop, updates: { ...updates, delivered_by_driver_id: known ? named : employee } };
}

/** The invoices of all manifest lines of an item, in host order. */
export type InvoicesOf = (kind: 'products' | 'collections', item: string) => readonly string[];

/**
 * Lines that came without an invoice get that of their item on the manifest: no GET tells an app the invoice of a
 * collection, and v20 tells none at all. Of several manifest lines they take those that the update does not name, in
 * order. An item whose manifest line has no invoice, or that is not on the manifest, stays as it was sent.
 */
export function withPlannedInvoices(stop: StopObject, invoicesOf: InvoicesOf): StopObject {
  const products = lentInvoices(stop.products, (item) => invoicesOf('products', item));
  const collections = lentInvoices(stop.collections, (item) => invoicesOf('collections', item));
  return products === stop.products && collections === stop.collections ? stop : { ...stop, products, collections };
}

function lentInvoices(
  lines: StopObject['products'],
  invoicesOf: (item: string) => readonly string[],
): StopObject['products'] {
  if (!lines?.some(({ invoice }) => invoice === '')) return lines;
  const free = new Map<string, string[]>();
  return lines.map((line): LineUpdate => {
    if (line.invoice !== '') return line;
    const left = free.get(line.id) ?? unnamed(invoicesOf(line.id), line.id, lines);
    free.set(line.id, left);
    const invoice = left.shift();
    return invoice === undefined ? line : { ...line, invoice };
  });
}

/** What of the planned invoices no line of this item names; none where a blank one is planned: then blank is its name. */
function unnamed(planned: readonly string[], item: string, lines: readonly LineUpdate[]): string[] {
  if (planned.includes('')) return [];
  const left = [...planned];
  for (const { id, invoice } of lines) {
    const at = id === item ? left.indexOf(invoice) : -1;
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}
