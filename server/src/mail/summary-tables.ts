import type { OsdEntry, OsdGroup, PlanCollection, PlanProduct, StopPlan, StopResult } from '@tailgate/sync-protocol';
import type { CountedLine, ExceptionEntry, LineExceptions, PictureReference, SummaryTables } from './summary.ts';
import type { SummaryLine } from './summary-lines.ts';
import { linesOf, nameOf } from './summary-lines.ts';

/** The meaning of a credit reason; blank where unknown. */
export type Meaning = (code: string) => string;

/** Deliveries, returns, exceptions, and their photos. */
export function summaryTables(plan: StopPlan, result: StopResult, meaning: Meaning): SummaryTables {
  const products = linesOf(plan.products, result.products);
  const collections = linesOf(plan.collections, result.collections);
  const exceptions = [...products, ...collections].flatMap((line) => exceptionsOf(line, meaning));
  const overage = (result.updates?.overage_items ?? []).map(
    ({ barcode, osd_code, quantity, comment, images_id }): ExceptionEntry => ({
      quantity: String(quantity),
      reason: reasonOf(osd_code, meaning),
      comment,
      barcode,
      asset: images_id,
    }),
  );
  const byInvoice = Map.groupBy(products, ({ invoice }) => invoice);
  return {
    exceptions,
    overage,
    products: [...byInvoice].map(([invoice, lines]) => ({ invoice, lines: lines.map(productOf) })),
    collections: collections.map(collectionOf),
    photos: photosOf(exceptions, overage, [...products, ...collections]),
  };
}

function productOf(line: SummaryLine<PlanProduct>): CountedLine {
  const ordered = line.planned?.quantity;
  const delivered = line.line?.delivered ?? line.line?.action_delivered ?? undefined;
  const pallets = line.line?.delivered_pallets ?? 0;
  const name = nameOf(line);
  return {
    name,
    notes: [
      ...(name === line.id ? [] : [line.id]),
      ...differenceOf(ordered, delivered),
      ...(line.planned ? [] : ['not on the order']),
      ...(pallets > 0 ? [`on ${counted(pallets, 'pallet')}`] : []),
    ],
    ordered,
    delivered,
    returned: line.line?.returned ?? undefined,
  };
}

function collectionOf(line: SummaryLine<PlanCollection>): CountedLine {
  return {
    name: nameOf(line),
    notes: [],
    ordered: line.planned?.quantity,
    delivered: undefined,
    returned: line.line?.returned ?? line.line?.action_delivered ?? undefined,
  };
}

/** In words: not all readers see a colour, or print one. */
function differenceOf(ordered: number | undefined, delivered: number | undefined): string[] {
  if (ordered === undefined || delivered === undefined || ordered === delivered) return [];
  return [delivered < ordered ? `${ordered - delivered} short` : `${delivered - ordered} over`];
}

function exceptionsOf(line: SummaryLine<PlanProduct | PlanCollection>, meaning: Meaning): LineExceptions[] {
  const entriesOf = (groups: readonly OsdGroup[] = []): ExceptionEntry[] =>
    groups.flatMap(({ osd_code, data }) => data.map((entry) => entryOf(entry, reasonOf(osd_code, meaning))));
  // Barcodes of itemized exceptions are not stored (interface.md part 2), so no summary shows them either.
  const itemized = entriesOf(line.line?.action_osd_data).map((entry) => ({ ...entry, barcode: '' }));
  const entries = [...entriesOf(line.line?.osd_data), ...itemized];
  return entries.length > 0 ? [{ name: nameOf(line), invoice: line.invoice, entries }] : [];
}

function entryOf({ quantity, quantity_type, comment, barcodes, images_id }: OsdEntry, reason: string): ExceptionEntry {
  return {
    quantity: quantity_type ? counted(quantity, quantity_type.replace(/s$/, '')) : String(quantity),
    reason,
    comment,
    barcode: barcodes,
    asset: images_id,
  };
}

function reasonOf(code: string, meaning: Meaning): string {
  const words = meaning(code);
  return words ? `${words} (${code})` : `Code ${code}`;
}

/** The photos of a stop in the order of its summary. A photo that several lines name appears once. */
function photosOf(
  exceptions: readonly LineExceptions[],
  overage: readonly ExceptionEntry[],
  lines: readonly SummaryLine<{ readonly name: string }>[],
): PictureReference[] {
  const captioned = (name: string) => (entry: ExceptionEntry) =>
    entry.asset === null ? [] : [[entry.asset, `${name}: ${entry.reason}`] as const];
  const named = [
    ...exceptions.flatMap(({ name, entries }) => entries.flatMap(captioned(name))),
    ...overage.flatMap(captioned('Not on the order')),
    ...lines.flatMap((line) => (line.line?.image_ids ?? []).map((asset) => [asset, nameOf(line)] as const)),
  ];
  const once = new Map<string, string>();
  for (const [asset, caption] of named) if (!once.has(asset)) once.set(asset, caption);
  return [...once].map(([asset, caption]) => ({ asset, caption }));
}

/** `1 case`, `2 cases`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
