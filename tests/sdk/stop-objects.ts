import type { StopObject } from '@tailgate/sync-protocol';
import { stopObject } from '@tailgate/sync-protocol';
import fc from 'fast-check';

// A small range of values, so that two edits often touch the same field.
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 4 });
const assetId = fc.constantFrom('AAAAAAAAAAAAAAAA', 'BBBBBBBBBBBBBBBB');
const count = fc.nat(9);
const word = fc.constantFrom('', 'left at the door', 'Tür zu', '破損');

const osdData = fc.array(
  fc.record({
    osd_id: fc.constantFrom(null, 'O1', 'O2'),
    osd_code: fc.constantFrom('10', 20),
    data: fc.array(fc.record({ quantity: count, comment: word, images_id: orNull(assetId) }), { maxLength: 2 }),
  }),
  { maxLength: 2 },
);

const line = fc.record({
  id: fc.constantFrom('ITEM1', 'ITEM2'),
  invoice: fc.constantFrom('INV1', ''),
  updates: orNull(
    fc.record({
      delivered: maybe(orNull(count)),
      returned: maybe(count),
      accounting_complete: maybe(fc.boolean()),
      image_ids: maybe(orNull(fc.array(assetId, { maxLength: 2 }))),
      osd_data: maybe(osdData),
    }),
  ),
  action: maybe(
    orNull(
      fc.record({
        type: maybe(orNull(fc.constantFrom('scan', 'count'))),
        quantity: maybe(count),
        open_action: maybe(fc.constantFrom(null, { a: 1 })),
        updates: maybe(fc.record({ delivered: maybe(count), osd_data: maybe(osdData) })),
      }),
    ),
  ),
});

/** Stop objects as an app passes them, parsed. */
export const anyStopObject = (id: fc.Arbitrary<number>): fc.Arbitrary<StopObject> =>
  fc
    .record({
      id,
      arrived: maybe(fc.boolean()),
      updates: maybe(
        orNull(
          fc.record({
            status: maybe(fc.constantFrom('P', 'D', 'S', 'R')),
            driver_comments: maybe(orNull(word)),
            store_emp_name: maybe(word),
            signature_id: maybe(orNull(assetId)),
            followup: maybe(fc.boolean()),
            end_delivery_time: maybe(fc.constantFrom(null, '2026-11-21T10:00:00+01:00')),
            overage_items: maybe(
              fc.array(fc.record({ osd_code: fc.constantFrom('85', '86'), images_id: orNull(assetId) }), {
                maxLength: 2,
              }),
            ),
          }),
        ),
      ),
      products: maybe(fc.array(line, { maxLength: 3 })),
      collections: maybe(fc.array(line, { maxLength: 2 })),
    })
    .map((value) => stopObject.parse(value));
