import {
  customer,
  emailPreviewQuery,
  routeDriver,
  routeMeta,
  routePayload,
  routePayloadV20,
  stopPayload,
  stopPayloadV20,
} from '@tailgate/sync-protocol';
import { described } from '../described.ts';

// GET route: interface.md part 2 with contract §4.

const { products, collections, updates, invoices } = stopPayload.shape;
const [product, collection] = [products.def.element, collections.def.element];
const collectionAction = collection.shape.action;
const group = collection.shape.updates.shape.osd_data.def.element;
const { contact, location } = customer.shape;

const routeWords = {
  id: 'Route id, at most 10 characters.',
  facility: 'Facility code.',
  name: 'Display name.',
  week_end: 'YYYYMMDD. Facility, id and week end together identify a route.',
  last_updated: 'Time of the latest change of the plan or of a result, UTC.',
  drivers: 'All assigned drivers.',
  stops: 'In the order of the plan; the warehouse comes last.',
};

const stopWords = {
  id: 'Unique on its route; 999 is the warehouse.',
  type: '`delivery`: a customer; `backhaul`: the second-to-last stop; `warehouse`: stop 999.',
  updates: 'The recorded results of the stop.',
  osd_emails: 'As in `updates`.',
  customer: 'The customer of the stop.',
  invoices: 'The invoices of this stop.',
};

const lineWords = {
  id: 'Item code.',
  name: 'Item name; may differ from the description.',
  description: 'Item description.',
  section: 'Product section, one of the code list.',
  quantity: 'Pieces ordered, or expected back.',
};

const settingWords = {
  required: 'Whether the driver must make the entry.',
  count_in_totes: 'Whether the item is part of the return count.',
  add_photos: 'Whether the driver may add a photo.',
  container_type: 'Container type, one of the code list.',
};

const osdDataWords = 'Overages, shortages and damages, in the order of the request.';

export const routeSchemas = [
  described('EmailPreviewQuery', emailPreviewQuery, 'The key of a stop.', {
    facility: 'Facility code.',
    route_id: 'Route id.',
    stop_id: 'Stop number.',
    week_end: 'YYYYMMDD.',
  }),
  described('Route', routePayload, 'A pending route on the unprefixed set.', {
    ...routeWords,
  }),
  described('RouteV20', routePayloadV20, 'A pending route on v20: lines without their results.', {
    ...routeWords,
  }),
  described('RouteMeta', routeMeta, 'Metadata of a route.', {
    version: 'Increases with every change of the route.',
    arrived:
      'The return marker. If routes close by arrival, `arrived: true` of stop 999 sets it. Otherwise only the office sets it.',
    autoclose_at: 'Closing time after the arrival, UTC; null without a running timer.',
    forceclose_at: 'Closing time without an arrival, UTC; null without a running timer.',
  }),
  described('Driver', routeDriver, 'A driver of a route.', {
    id: 'Employee id.',
    name: 'Display name.',
    type: 'The role on the host, such as `DRIVER`.',
  }),
  described('Stop', stopPayload, 'A stop with plan and results.', {
    ...stopWords,
    products: 'The products in the order of the manifest.',
    collections: 'The items to bring back.',
  }),
  described('StopV20', stopPayloadV20, 'A stop in the v20 shape.', {
    ...stopWords,
    products: 'The products in the order of the manifest.',
    collections: 'The items to bring back.',
  }),
  described('StopUpdates', updates, 'The recorded results of a stop.', {
    status: '`P` pending, `D` delivered, `S` skipped, `R` refused, `C` complete (stop 999 only).',
    followup: 'Whether the stop needs a follow-up.',
    delivered_by_driver_id: 'Employee id of the delivering driver.',
    store_emp_id: 'Employee id of the receiver at the store.',
    store_emp_name: 'Name of the receiver at the store.',
    driver_comments: 'Comments of the driver.',
    signature_id: 'Asset id of the signature.',
    osd_emails: 'Additional recipients of the delivery summary.',
    overage_items: 'Items that are not on the manifest.',
  }),
  described('Invoice', invoices.def.element, 'An invoice of a stop.', {
    id: 'Invoice number.',
    date: 'YYYY-MM-DD.',
  }),
  described('Product', product, 'A line of the manifest with its result.', {
    ...lineWords,
    invoice: 'Invoice number. The same item can be on two invoices.',
    box_upc: 'Barcode of the case.',
    item_upc: 'Barcode of the unit.',
    updates: 'The recorded results of the line.',
    action: 'An additional task for the line, such as scanning each piece.',
  }),
  described('ProductUpdates', product.shape.updates, 'The recorded results of a product.', {
    delivered: 'Pieces delivered.',
    accounting_complete: 'Whether the driver has finished the line.',
    image_ids: 'Asset ids of photos; null before the first photo.',
    osd_data: osdDataWords,
  }),
  described('Action', collectionAction, 'A task for a line, with its result.', {
    type: 'Such as `scan`, `count`, `collect`, `deliver`.',
    updates: 'The recorded results.',
  }),
  described('ActionUpdates', collectionAction.shape.updates, 'The recorded results of an action.', {
    delivered: 'Pieces.',
    osd_data: 'Exceptions of single pieces. The server does not store their barcodes.',
  }),
  described('Collection', collection, 'An item to bring back, with its result.', {
    ...lineWords,
    ...settingWords,
    updates: 'The recorded results.',
    action: 'The task for the line.',
  }),
  described('CollectionUpdates', collection.shape.updates, 'The recorded results of a collection.', {
    returned: 'Pieces brought back.',
    osd_data: osdDataWords,
  }),
  described('ProductV20', stopPayloadV20.shape.products.def.element, 'A line of the manifest, v20.', {
    ...lineWords,
    ...settingWords,
    action: 'An additional task for the line.',
  }),
  described('CollectionV20', stopPayloadV20.shape.collections.def.element, 'An item to bring back, v20.', {
    ...lineWords,
    ...settingWords,
    action: 'The task for the line.',
  }),
  described('ActionV20', stopPayloadV20.shape.collections.def.element.shape.action, 'A task for a line.', {
    type: 'Such as `scan`, `count`, `collect`, `deliver`.',
  }),
  described('OsdGroup', group, 'Exceptions of one code.', {
    osd_id: 'Opaque: the server returns the sent value. Null from clients before v23.',
    osd_code: 'Credit reason code, always as text.',
    data: 'One entry for each exception.',
  }),
  described('OsdEntry', group.shape.data.def.element, 'One exception.', {
    osd_parent: 'Opaque: the server returns the sent value.',
    comment: 'Empty if unknown.',
    quantity: 'In the unit of `quantity_type`.',
    images_id: 'Asset id of a photo.',
    barcodes: 'One barcode or an empty text. Always empty on actions.',
    quantity_type: 'Units or cases; null if unknown.',
  }),
  described('OverageItem', updates.shape.overage_items.def.element, 'An item that is not on the manifest.', {
    barcode: 'The scanned barcode.',
    osd_code: 'Credit reason code; `85` or `86` in v20.',
    quantity: 'Pieces.',
    comment: 'Empty if unknown.',
    images_id: 'Asset id of a photo.',
  }),
  described('Customer', customer, 'The customer of a stop.', {
    id: 'Customer number.',
    name: 'Display name.',
    verify_returns: 'Whether the driver verifies returns at the stop.',
    contact: 'Telephone, mail and sales representative.',
    location: 'Address and coordinates.',
  }),
  described('Contact', contact, 'The contact data of a customer.', {
    phone: 'Empty if unknown.',
    email: 'Mail address of the customer. Receives the delivery summary in v20.',
    contact_email: 'Mail address of the broker or manager. Receives the delivery summary on the unprefixed set.',
    salesrep: 'The sales representative of the customer.',
  }),
  described('SalesRep', contact.shape.salesrep, 'A sales representative.', {
    id: 'Empty if unknown.',
    name: 'Empty if unknown.',
    phone: 'Empty if unknown.',
  }),
  described('Location', location, 'The location of a customer.', {
    address: 'Street lines.',
    city: 'City.',
    state: 'State.',
    zip: 'Postal code.',
    coordinates: 'Coordinates, empty texts if unknown.',
  }),
  described('Coordinates', location.shape.coordinates, 'Decimal degrees as text.', {
    latitude: 'Latitude, negative south of the equator.',
    longitude: 'Longitude, negative west of Greenwich.',
  }),
];
