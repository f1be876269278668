import type { StopObjectInput, StopPlan } from '@tailgate/sync-protocol';
import { applyStopUpdate, stopObject } from '@tailgate/sync-protocol';
import type { SummarizedStop } from '../../../server/src/mail/delivery-summary.ts';
import { deliverySummary } from '../../../server/src/mail/delivery-summary.ts';
import type { RenderedSummary } from '../../../server/src/mail/render-summary.ts';
import { renderSummary } from '../../../server/src/mail/render-summary.ts';
import type { Picture } from '../../../server/src/mail/summary.ts';
import { plan } from '../../support/mirror.ts';

const reasons: Readonly<Record<string, string>> = {
  'credit-reason 10': 'Short on truck',
  'credit-reason 20': 'Damaged in transit',
  'credit-reason 86': 'Overage, returned',
  'stop-exception 12': 'Damaged on arrival',
};

/** A stop of route R100 in Chicago after an update of 10:06 AM, with the data for its summary. */
export const summarized = (
  update: Omit<StopObjectInput, 'id'>,
  more: Partial<SummarizedStop> = {},
): SummarizedStop => ({
  route: { facility: 'F01', id: 'R100', week_end: '20261121', name: 'North' },
  facility: 'Chicago Distribution Ctr',
  plan: plan(1),
  result: applyStopUpdate({ status: 'P' }, stopObject.parse({ id: 1, ...update }), {
    at: Date.parse('2026-11-20T16:06:00Z'),
    client: 'rest',
    seq: 1,
    by: '1001',
  }).result,
  zone: 'America/Chicago',
  drivers: { 1001: 'Dana Driver' },
  reason: (type, code) => reasons[`${type} ${code}`] ?? '',
  ...more,
});

/** The plan of stop 1 with these parts of it different. */
export const planWith = (more: Partial<StopPlan>): StopPlan => ({ ...plan(1), ...more });

const pending: Picture = { kind: 'pending', href: undefined };

export const rendered = (
  stop: SummarizedStop,
  pictures: Readonly<Record<string, readonly Picture[]>> = {},
): RenderedSummary => renderSummary(deliverySummary(stop), (asset) => pictures[asset] ?? [pending]);

/** An asset id. */
export const asset = (n: number): string => String(n).padStart(16, '0');

/** A stop with every part of a summary. */
export const eventful = (): SummarizedStop =>
  summarized(
    {
      updates: {
        status: 'D',
        start_delivery_time: '2026-11-20T15:58:00Z',
        end_delivery_time: '2026-11-20T16:05:00Z',
        delivered_by_driver_id: '1001',
        store_emp_name: 'Sam Storekeeper',
        store_emp_id: '4711',
        driver_comments: 'Left at the dock 👍\nשלום – Grüße',
        signature_id: asset(1),
        overage_items: [{ barcode: '0042', osd_code: '86', quantity: 1, comment: 'wrong pallet', images_id: asset(3) }],
      },
      products: [
        {
          id: 'ITM100000',
          invoice: 'INV1',
          updates: {
            delivered: 2,
            returned: 1,
            delivered_pallets: 1,
            image_ids: [asset(4)],
            osd_data: [
              {
                osd_code: 20,
                data: [
                  { quantity: 1, quantity_type: 'cases', comment: 'wet', images_id: asset(2), barcodes: '777' },
                  { quantity: 3, quantity_type: 'units', comment: '' },
                ],
              },
            ],
          },
        },
        {
          id: 'ITM115838',
          invoice: 'INV1',
          action: {
            updates: { delivered: 5, osd_data: [{ osd_code: '99', data: [{ quantity: 2, barcodes: '888' }] }] },
          },
        },
        { id: 'EXTRA', invoice: 'INV2', updates: { delivered: 1 } },
      ],
      collections: [{ id: 'TOTE', updates: { returned: 4 } }],
    },
    { plan: planWith({ customer: { ...plan(1).customer, name: 'Café Söderberg' } }) },
  );
