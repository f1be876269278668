import type { StopPlan } from '@tailgate/sync-protocol';
import fc from 'fast-check';

// Whole routes and bodies of PUT route/stop from fast-check, in a world small enough for edits to meet.

const flags = { required: fc.boolean(), count_in_totes: fc.boolean(), add_photos: fc.boolean() };
const word = fc.constantFrom('', 'Milk 3.5%', 'Brötchen', '破損', 'a "quoted" <b>');
const invoice = fc.constantFrom('INV1', 'INV2');

const product = fc.record({
  id: fc.constantFrom('EGGS', 'MILK', 'RYE'),
  name: word,
  description: word,
  invoice,
  quantity: fc.nat(12),
  box_upc: fc.constantFrom('', '0084512345678'),
  item_upc: fc.constantFrom('', '74512345678'),
  section: fc.constantFrom('GROCERY', ''),
  container_type: fc.constantFrom('CASE', ''),
  trailer_area: fc.constantFrom('DRY', ''),
  ...flags,
  action_type: fc.constantFrom('', 'scan', 'count'),
});
const collection = fc.record({
  id: fc.constantFrom('TOTE', 'PALLET'),
  name: word,
  description: word,
  invoice: fc.constantFrom('', 'INV1'),
  quantity: fc.nat(5),
  section: fc.constant('COLLECTIONS'),
  container_type: fc.constantFrom('PLASTIC TOTE', ''),
  ...flags,
});

const planOf = (id: number): fc.Arbitrary<StopPlan> =>
  fc.record({
    id: fc.constant(id),
    type: fc.constantFrom('delivery', 'backhaul'),
    sequence: fc.constant(id),
    eta: fc.constant(''),
    customer: fc.constant({
      id: `C${id}`,
      name: 'Market',
      verify_returns: false,
      contact: { phone: '', email: '', contact_email: '', salesrep: { id: '', name: '', phone: '' } },
      location: { address: [], city: '', state: '', zip: '', coordinates: { latitude: '', longitude: '' } },
    }),
    invoices: fc.constant([]),
    products: fc.array(product, { minLength: 1, maxLength: 5 }),
    collections: fc.array(collection, { maxLength: 3 }),
  });

/** A route of two stops, some with the same item on two lines or two invoices. */
export const anyStops: fc.Arbitrary<StopPlan[]> = fc.tuple(planOf(1), planOf(2));

const assetId = fc.constantFrom('AAAAAAAAAAAAAAAA', '0123456789abcdef');
const count = fc.nat(20);
const osdEntry = fc.oneof(
  // v23
  fc.record({
    osd_parent: fc.constantFrom(null, 'P00001', 'ÿ '),
    comment: word,
    quantity: count,
    images_id: assetId,
    barcodes: fc.constantFrom('', '0451'),
    quantity_type: fc.constantFrom(null, 'units', 'cases'),
  }),
  // v21
  fc.record({ comment: word, quantity: count, images_id: assetId, barcodes: fc.constantFrom('', '0452') }),
);
const entries = fc.array(osdEntry, { maxLength: 3 });
const osdCode = fc.constantFrom('10', 20, '05', '85');
const osdGroup = fc.oneof(
  fc.record({ osd_id: fc.constantFrom(null, 'G00001', 'g1', '  x'), osd_code: osdCode, data: entries }),
  fc.record({ osd_code: osdCode, data: entries }),
);
const osdData = fc.array(osdGroup, { maxLength: 3 });

/** Sent, sent as null, or not sent. */
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 4 });

const lineChange = fc.record({
  updates: maybe(
    fc.record({
      delivered: maybe(orNull(count)),
      returned: maybe(orNull(count)),
      accounting_complete: maybe(orNull(fc.boolean())),
      image_ids: maybe(fc.oneof(fc.constant(null), assetId, fc.array(assetId, { maxLength: 2 }))),
      osd_data: maybe(orNull(osdData)),
    }),
  ),
  action: maybe(
    orNull(
      fc.record({
        type: maybe(orNull(fc.constantFrom('count', 'collect', 'deliver', ''))),
        updates: maybe(fc.record({ delivered: maybe(orNull(count)), osd_data: maybe(osdData) })),
      }),
    ),
  ),
});
export type LineChange = typeof lineChange extends fc.Arbitrary<infer Said> ? Said : never;

const updatesChange = fc.record({
  status: maybe(fc.constantFrom('P', 'D', 'S', 'R')),
  followup: maybe(orNull(fc.boolean())),
  followup_reason_code: maybe(orNull(fc.constantFrom('', 'F1', ' '))),
  delivered_by_driver_id: maybe(fc.constantFrom('1001', '1002', '9999', '')),
  store_emp_id: maybe(orNull(fc.constantFrom('', '77'))),
  store_emp_name: maybe(orNull(word)),
  driver_comments: maybe(orNull(word)),
  signature_id: maybe(orNull(assetId)),
  osd_emails: maybe(orNull(fc.array(fc.constantFrom('a@example.com', 'b@example.com'), { maxLength: 2 }))),
  overage_items: maybe(
    fc.array(
      fc.record({
        barcode: fc.constantFrom('', '99'),
        osd_code: osdCode,
        quantity: count,
        comment: word,
        images_id: assetId,
      }),
      { maxLength: 3 },
    ),
  ),
});
export type UpdatesChange = typeof updatesChange extends fc.Arbitrary<infer Said> ? Said : never;

/**
 * A driver's changes of a stop; `lines` and `returns` contain changes for every line of an item and invoice, by its
 * key.
 */
export interface StopChange {
  readonly updates: UpdatesChange | undefined;
  readonly lines: Readonly<Record<string, LineChange>>;
  readonly returns: Readonly<Record<string, LineChange>>;
}
const keyed = (keys: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...keys), lineChange, { maxKeys: 3, noNullPrototype: true });

export const anyChange: fc.Arbitrary<StopChange> = fc.record({
  updates: maybe(updatesChange),
  lines: keyed(['EGGS INV1', 'EGGS INV2', 'MILK INV1', 'MILK INV2', 'RYE INV1', 'RYE INV2']),
  returns: keyed(['TOTE ', 'TOTE INV1', 'PALLET ', 'PALLET INV1']),
});
