import * as z from '#schema';
import { warning } from '../wire/mutation-result.ts';
import type { Answered } from './operations.ts';
import { routeDriver } from '../schema/route-header.ts';
import { customer, stopPlan } from '../schema/stop-plan.ts';
import { stopStatus } from '../schema/stops.ts';

// The answers of the REST interface: the shapes of interface.md part 2, with the additions of contract §4. The schemas
// are strict, so that a test finds both additional and missing fields.

const osdGroupPayload = z.strictObject({
  osd_id: z.nullable(z.string()),
  osd_code: z.string(),
  data: z.array(
    z.strictObject({
      osd_parent: z.nullable(z.string()),
      comment: z.string(),
      quantity: z.int(),
      images_id: z.nullable(z.string()),
      barcodes: z.string(),
      quantity_type: z.nullable(z.enum(['units', 'cases'])),
    }),
  ),
});

const overagePayload = z.strictObject({
  barcode: z.string(),
  osd_code: z.string(),
  quantity: z.int(),
  comment: z.string(),
  images_id: z.nullable(z.string()),
});

/** The fields of the stop updates that interface.md does not mark as request-only. */
const stopUpdatesPayload = z.strictObject({
  status: stopStatus,
  followup: z.boolean(),
  delivered_by_driver_id: z.nullable(z.string()),
  store_emp_id: z.nullable(z.string()),
  store_emp_name: z.nullable(z.string()),
  driver_comments: z.nullable(z.string()),
  signature_id: z.nullable(z.string()),
  osd_emails: z.array(z.string()),
  overage_items: z.array(overagePayload),
});

const stopFrame = {
  id: z.int(),
  type: stopPlan.shape.type,
  updates: stopUpdatesPayload,
  osd_emails: z.array(z.string()),
  customer,
  invoices: stopPlan.shape.invoices,
};

const named = { id: z.string(), name: z.string(), description: z.string() };
const collectionSettings = { required: z.boolean(), count_in_totes: z.boolean(), add_photos: z.boolean() };

const actionPayload = z.strictObject({
  type: z.string(),
  updates: z.strictObject({ delivered: z.int(), osd_data: z.array(osdGroupPayload) }),
});

export const stopPayload = z.strictObject({
  ...stopFrame,
  products: z.array(
    z.strictObject({
      ...named,
      invoice: z.string(),
      quantity: z.int(),
      box_upc: z.string(),
      item_upc: z.string(),
      section: z.string(),
      updates: z.strictObject({
        delivered: z.int(),
        accounting_complete: z.boolean(),
        image_ids: z.nullable(z.array(z.string())),
        osd_data: z.array(osdGroupPayload),
      }),
      action: z.nullable(actionPayload),
    }),
  ),
  collections: z.array(
    z.strictObject({
      ...named,
      ...collectionSettings,
      container_type: z.string(),
      section: z.string(),
      quantity: z.int(),
      updates: z.strictObject({ returned: z.int(), osd_data: z.array(osdGroupPayload) }),
      action: actionPayload,
    }),
  ),
});
export type StopPayload = Answered<z.infer<typeof stopPayload>>;

/** v20 contains plan fields only, the same for products and collections; an action has its type only. */
const lineV20 = {
  ...named,
  ...collectionSettings,
  container_type: z.string(),
  section: z.string(),
  quantity: z.int(),
};
const actionV20 = z.strictObject({ type: z.string() });

export const stopPayloadV20 = z.strictObject({
  ...stopFrame,
  products: z.array(z.strictObject({ ...lineV20, action: z.nullable(actionV20) })),
  collections: z.array(z.strictObject({ ...lineV20, action: actionV20 })),
});
export type StopPayloadV20 = Answered<z.infer<typeof stopPayloadV20>>;

const routeFrame = {
  id: z.string(),
  facility: z.string(),
  name: z.string(),
  week_end: z.string(),
  last_updated: z.iso.datetime(),
  drivers: z.array(routeDriver),
};
/** `data` of GET /api/route. */
export const routePayload = z.strictObject({ ...routeFrame, stops: z.array(stopPayload) });
export type RoutePayload = Answered<z.infer<typeof routePayload>>;
/** `data` of GET /api/v20/route. */
export const routePayloadV20 = z.strictObject({ ...routeFrame, stops: z.array(stopPayloadV20) });
export type RoutePayloadV20 = Answered<z.infer<typeof routePayloadV20>>;

/** `meta` of GET route, both path sets. Deadlines are UTC `…Z`; null without a timer. */
export const routeMeta = z.strictObject({
  /** Increases with each change of the route. */
  version: z.int(),
  /** The return marker: the arrival at the warehouse was recorded. */
  arrived: z.boolean(),
  autoclose_at: z.nullable(z.iso.datetime()),
  forceclose_at: z.nullable(z.iso.datetime()),
});
export type RouteMeta = Answered<z.infer<typeof routeMeta>>;

/** The result of one stop object; a rejected one has no status and no version, and a warning states the reason. */
export const stopAnswer = z.strictObject({
  id: z.int(),
  result: z.enum(['applied', 'duplicate', 'stale', 'rejected']),
  status: z.nullable(z.string()),
  version: z.nullable(z.int()),
  warnings: z.array(warning),
});
export type StopAnswer = Answered<z.infer<typeof stopAnswer>>;

/** `data` of PUT route/stop. */
export const stopSyncAnswer = z.strictObject({
  route_id: z.string(),
  facility: z.string(),
  week_end: z.string(),
  route_status: z.enum(['O', 'C']),
  received_at: z.iso.datetime(),
  stops: z.array(stopAnswer),
});
export type StopSyncAnswer = Answered<z.infer<typeof stopSyncAnswer>>;

/** `data` of PUT route/stop/skip-refuse. */
export const skipRefuseAnswer = z.strictObject({
  route_id: z.string(),
  stop_id: z.int(),
  status: z.string(),
  version: z.int(),
});
export type SkipRefuseAnswer = Answered<z.infer<typeof skipRefuseAnswer>>;

export const healthPayload = z.strictObject({ version: z.string(), uptime_s: z.int() });
/** Each dependency by name. `required`: without it this node accepts no requests. */
export const readinessPayload = z.record(z.string(), z.strictObject({ ok: z.boolean(), required: z.boolean() }));
export type Readiness = Answered<z.infer<typeof readinessPayload>>;
