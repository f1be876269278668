import * as z from '#schema';
import type { DeepReadonly } from './deep-readonly.ts';
import {
  anyJson,
  assetId,
  assetReference,
  clearableInstant,
  clearableList,
  clearableText,
  codeText,
  count,
  degrees,
  keyText,
  requiredKey,
  stopNumber,
  text,
  threeDigits,
} from './values.ts';

/** Stop status: P pending, D delivered, S skipped, R refused, C complete (stop 999 only). interface.md part 3. */
export const stopStatus = z.enum(['P', 'D', 'C', 'S', 'R']);
export type StopStatus = z.infer<typeof stopStatus>;

/** The warehouse, the last stop of a route. */
export const warehouseStop = 999;

// ── A driver's update (the request shapes of interface.md part 4.3, for v20, v21 and v23) ──────────────────────────

const countOrNone = z._default(
  z.pipe(
    z.nullable(count),
    z.transform((value) => value ?? 0),
  ),
  0,
);

/** A text; null and absent become blank. */
const blankText = (max: number) => blank(text(max));
const blank = (inner: ReturnType<typeof text>) =>
  z._default(
    z.pipe(
      z.nullable(inner),
      z.transform((value) => value ?? ''),
    ),
    '',
  );

export const osdEntry = z.object({
  osd_parent: z._default(z.nullable(text(6)), null),
  comment: blankText(2000),
  quantity: countOrNone,
  images_id: z._default(assetReference, null),
  barcodes: blank(codeText(20)),
  quantity_type: z._default(
    z.pipe(
      z.nullable(z.enum(['units', 'cases', ''])),
      z.transform((value) => value || null),
    ),
    null,
  ),
});
export type OsdEntry = z.infer<typeof osdEntry>;
/** An entry of an exception as an app may send it. */
export type OsdEntryInput = DeepReadonly<z.input<typeof osdEntry>>;

export const osdGroup = z.object({
  osd_id: z._default(z.nullable(text(6)), null),
  osd_code: threeDigits,
  data: z._default(clearableList(osdEntry, 500), []),
});
export type OsdGroup = z.infer<typeof osdGroup>;
/** An exception of a line as an app may send it. */
export type OsdInput = DeepReadonly<z.input<typeof osdGroup>>;

export const overageItem = z.object({
  barcode: blank(codeText(20)),
  osd_code: threeDigits,
  quantity: countOrNone,
  comment: blankText(2000),
  images_id: z._default(assetReference, null),
});
export type OverageItem = z.infer<typeof overageItem>;
/** An item outside the plan, as an app may send it. */
export type OverageInput = DeepReadonly<z.input<typeof overageItem>>;

const osdData = clearableList(osdGroup, 500);
const imageIds = z.pipe(
  z.union([z.null(), z.literal(''), assetId, z.array(assetId).check(z.maxLength(100))]),
  z.transform((value) => (value === null || value === '' ? null : typeof value === 'string' ? [value] : value)),
);

const lineAction = z.object({
  type: z.optional(clearableText(10)),
  updates: z.optional(
    z.nullable(z.object({ delivered: z.optional(z.nullable(count)), osd_data: z.optional(osdData) })),
  ),
  open: z.optional(z.nullable(z.boolean())),
  open_action: z.optional(anyJson()),
  item_name: z.optional(z.nullable(text(50))),
  quantity: z.optional(z.nullable(count)),
});

export const lineUpdate = z.object({
  id: requiredKey(15),
  invoice: blank(keyText(10)),
  required: z.optional(z.nullable(z.boolean())),
  count_in_totes: z.optional(z.nullable(z.boolean())),
  add_photos: z.optional(z.nullable(z.boolean())),
  updates: z.optional(
    z.nullable(
      z.object({
        delivered: z.optional(z.nullable(count)),
        returned: z.optional(z.nullable(count)),
        delivered_pallets: z.optional(z.nullable(count)),
        accounting_complete: z.optional(z.nullable(z.boolean())),
        image_ids: z.optional(imageIds),
        osd_data: z.optional(osdData),
      }),
    ),
  ),
  action: z.optional(z.nullable(lineAction)),
});
export type LineUpdate = z.infer<typeof lineUpdate>;
/** A line of a stop as an app may send it. */
export type LineInput = DeepReadonly<z.input<typeof lineUpdate>>;

export const emailAddress = text(254);

export const stopUpdates = z.object({
  // A cleared status changes nothing, because no stop becomes pending again.
  status: z.optional(
    z.pipe(
      z.nullable(stopStatus),
      z.transform((value) => value ?? undefined),
    ),
  ),
  followup: z.optional(z.nullable(z.boolean())),
  followup_reason_code: z.optional(clearableText(3, codeText)),
  start_delivery_time: z.optional(clearableInstant),
  end_delivery_time: z.optional(clearableInstant),
  delivery_latitude: z.optional(degrees(90)),
  delivery_longitude: z.optional(degrees(180)),
  delivered_by_driver_id: z.optional(clearableText(10, codeText)),
  store_emp_id: z.optional(clearableText(10, codeText)),
  store_emp_name: z.optional(clearableText(40)),
  driver_comments: z.optional(clearableText(2000)),
  skip_refuse_reason_code: z.optional(clearableText(3, codeText)),
  /** An unreadable instant is stored as sent, with a warning (contract §1). */
  skip_refuse_timestamp: z.optional(clearableText(40)),
  skip_refuse_driver_comment: z.optional(clearableText(2000)),
  signature_id: z.optional(assetReference),
  osd_emails: z.optional(clearableList(emailAddress, 50)),
  overage_items: z.optional(clearableList(overageItem, 500)),
});
export type StopUpdates = z.infer<typeof stopUpdates>;

/** A stop object of PUT route/stop, and the `stop` argument of the mutation `stop.update`. */
export const stopObject = z
  .object({
    id: stopNumber,
    arrived: z.optional(z.nullable(z.boolean())),
    updates: z.optional(z.nullable(stopUpdates)),
    products: z.optional(z.nullable(z.array(lineUpdate).check(z.maxLength(2000)))),
    collections: z.optional(z.nullable(z.array(lineUpdate).check(z.maxLength(500)))),
  })
  .check(
    z.refine((stop) => stop.updates?.status !== 'C' || stop.id === warehouseStop, {
      error: 'status C is for stop 999 only',
      path: ['updates', 'status'],
    }),
  );
export type StopObject = z.infer<typeof stopObject>;
/** A stop object as an app may send it. */
export type StopObjectInput = DeepReadonly<z.input<typeof stopObject>>;

// ── The result: the part of a stop that the service owns, with written fields only ─────────────────────────────────

/**
 * The writer of a field: edit time (ms since 1970, corrected), queue or source, its sequence, the employee. The first
 * three determine the order.
 */
export const stamp = z.object({ at: z.number(), client: z.string(), seq: z.number(), by: z.string() });
export type Stamp = z.infer<typeof stamp>;

export const lineResult = z.object({
  id: z.string(),
  invoice: z.string(),
  /** 0 for the first line of this item and invoice. */
  n: z.number(),
  delivered: z.optional(z.nullable(z.number())),
  returned: z.optional(z.nullable(z.number())),
  delivered_pallets: z.optional(z.nullable(z.number())),
  accounting_complete: z.optional(z.nullable(z.boolean())),
  image_ids: z.optional(z.nullable(z.array(z.string()))),
  osd_data: z.optional(z.array(osdGroup)),
  action_type: z.optional(z.nullable(z.string())),
  action_delivered: z.optional(z.nullable(z.number())),
  action_osd_data: z.optional(z.array(osdGroup)),
  action_quantity: z.optional(z.nullable(z.number())),
  open: z.optional(z.nullable(z.boolean())),
  open_action: z.optional(z.json()),
  item_name: z.optional(z.nullable(z.string())),
});
export type LineResult = z.infer<typeof lineResult>;

/**
 * The result document of a stop. A field that was never written is absent; a cleared one is null. The writer of a field
 * is `by[at[path] ?? 0]`; paths are `status`, `arrived`, `updates.NAME`, `products.KEY.NAME`, `collections.KEY.NAME`.
 * The status P has a writer only where `at.status` names one: the office has made the stop pending again.
 */
const { status: _status, ...writtenFields } = stopUpdates.shape;
export const stopResult = z.object({
  status: stopStatus,
  arrived: z.optional(z.boolean()),
  updates: z.optional(z.object(writtenFields)),
  products: z.optional(z.record(z.string(), lineResult)),
  collections: z.optional(z.record(z.string(), lineResult)),
  by: z.optional(z.array(stamp)),
  at: z.optional(z.record(z.string(), z.number())),
});
export type StopResult = z.infer<typeof stopResult>;

export const lineKinds = ['products', 'collections'] as const;
export type LineKind = (typeof lineKinds)[number];

/** The key of a line: item, invoice and occurrence, joined with tabs, which none of them can contain. */
export const lineKey = (id: string, invoice: string, n: number): string => `${id}\t${invoice}\t${n}`;

/** Lines with their keys; `n` counts the lines of the same item and invoice before each. */
export function keyedLines<Line extends { readonly id: string; readonly invoice: string }>(lines: readonly Line[]) {
  const counts = new Map<string, number>();
  return lines.map((line) => {
    const first = lineKey(line.id, line.invoice, 0);
    const n = counts.get(first) ?? 0;
    counts.set(first, n + 1);
    return { line, n, key: lineKey(line.id, line.invoice, n) };
  });
}

/**
 * Lines of an update. It names the n-th of equal lines by its place: the ones before it come without values.
 *
 * @param named each line with its `n`, 0 for the first of its item and invoice
 */
export function atPlaces<Line extends { readonly id: string; readonly invoice: string }>(
  named: readonly { readonly n: number; readonly line: Line }[],
): (Line | { id: string; invoice: string })[] {
  const byName = new Map<string, (Line | { id: string; invoice: string })[]>();
  for (const { n, line } of named) {
    const { id, invoice } = line;
    const name = lineKey(id, invoice, 0);
    const equals = byName.get(name) ?? [];
    byName.set(name, equals);
    while (equals.length < n) equals.push({ id, invoice });
    equals[n] = line;
  }
  return [...byName.values()].flat();
}
