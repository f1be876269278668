import type { RouteMeta, StopPayload, StopView } from '@tailgate/sync-protocol';
import type { PendingRoute } from './queries.ts';

/** The fields of a route itself in both path sets. */
export const routeFrame = ({ key, name, changedAt, drivers }: PendingRoute) => ({
  id: key.id,
  facility: key.facility,
  name,
  week_end: key.week_end,
  last_updated: changedAt.toISOString(),
  drivers: [...drivers],
});

/** Additions to the documented shape: the route's progress, and when a timer will close it (contract §4). */
export const routeMeta = ({ version, arrived, autocloseAt, forcecloseAt }: PendingRoute): RouteMeta => ({
  version,
  arrived,
  autoclose_at: autocloseAt?.toISOString() ?? null,
  forceclose_at: forcecloseAt?.toISOString() ?? null,
});

/** The fields of a stop itself in both path sets. Request-only fields are stored and replicated, and never returned. */
export function stopFrame({ id, type, updates, osd_emails, customer, invoices }: StopView) {
  return {
    id,
    type,
    updates: {
      status: updates.status,
      followup: updates.followup,
      delivered_by_driver_id: updates.delivered_by_driver_id,
      store_emp_id: updates.store_emp_id,
      store_emp_name: updates.store_emp_name,
      driver_comments: updates.driver_comments,
      signature_id: updates.signature_id,
      osd_emails: updates.osd_emails,
      overage_items: updates.overage_items,
    },
    osd_emails: [...osd_emails],
    customer,
    invoices,
  };
}

/** A stop as the unprefixed GET shows it: exactly the fields of interface.md part 2. */
export function stopPayload(stop: StopView): StopPayload {
  return {
    ...stopFrame(stop),
    products: stop.products.map((product) => ({
      id: product.id,
      name: product.name,
      description: product.description,
      invoice: product.invoice,
      quantity: product.quantity,
      box_upc: product.box_upc,
      item_upc: product.item_upc,
      section: product.section,
      updates: {
        delivered: product.updates.delivered,
        accounting_complete: product.updates.accounting_complete,
        image_ids: product.updates.image_ids,
        osd_data: product.updates.osd_data,
      },
      action: product.action,
    })),
    collections: stop.collections.map((collection) => ({
      id: collection.id,
      name: collection.name,
      description: collection.description,
      required: collection.required,
      count_in_totes: collection.count_in_totes,
      add_photos: collection.add_photos,
      container_type: collection.container_type,
      section: collection.section,
      quantity: collection.quantity,
      updates: { returned: collection.updates.returned, osd_data: collection.updates.osd_data },
      action: collection.action,
    })),
  };
}
