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
  name: 'For people.',
  week_end: 'YYYYMMDD. A route is named by facility, id and week end together.',
  last_updated: 'The newest of what was planned and what was recorded, UTC.',
  drivers: 'Everybody assigned to the route.',
  stops: 'In the order of the plan; the warehouse comes last.',
};

const stopWords = {
  id: 'Unique on its route; 999 is the warehouse.',
  type: '`delivery`: a customer; `backhaul`: the second-to-last stop; `warehouse`: stop 999.',
  updates: 'What was recorded at the stop so far.',
  osd_emails: 'As in `updates`.',
  customer: 'Who is visited.',
  invoices: 'The papers that this stop delivers.',
};

const lineWords = {
  id: 'Item code.',
  name: 'Item name; may differ from the description.',
  description: 'Item description.',
  section: 'Product section, one of the code list.',
  quantity: 'Pieces ordered, or expected back.',
};

const settingWords = {
  required: 'Whether the entry must be made.',
  count_in_totes: 'Whether the item is part of the return count.',
  add_photos: 'Whether an optional photo may be added.',
  container_type: 'One of the code list of container types.',
};

const osdDataWords = 'Overages, shortages and damages, in the order in which they were sent.';

export const routeSchemas = [
  described('EmailPreviewQuery', emailPreviewQuery, 'Which stop.', {
    facility: 'Facility code.',
    route_id: 'Route id.',
    stop_id: 'Stop number.',
    week_end: 'YYYYMMDD.',
  }),
  described('Route', routePayload, 'A pending route as the unprefixed set shows it.', {
    ...routeWords,
  }),
  described('RouteV20', routePayloadV20, 'A pending route as v20 shows it: lines without their results.', {
    ...routeWords,
  }),
  described('RouteMeta', routeMeta, 'What stands beside a route.', {
    version: 'Rises with every change of the route.',
    arrived:
      'The return marker. Where routes close by arrival, `arrived: true` of stop 999 sets it; elsewhere only the office does.',
    autoclose_at: 'When the route closes after an arrival, UTC; null where no timer runs.',
    forceclose_at: 'When the route closes for want of an arrival, UTC; null where no timer runs.',
  }),
  described('Driver', routeDriver, 'A driver of a route.', {
    id: 'Employee id.',
    name: 'For people.',
    type: 'As the host names the assignment, such as `DRIVER`.',
  }),
  described('Stop', stopPayload, 'A stop with plan and results.', {
    ...stopWords,
    products: 'The manifest, in its order.',
    collections: 'What is to be brought back.',
  }),
  described('StopV20', stopPayloadV20, 'A stop in the v20 shape.', {
    ...stopWords,
    products: 'The manifest, in its order.',
    collections: 'What is to be brought back.',
  }),
  described('StopUpdates', updates, 'What was recorded at a stop.', {
    status: '`P` pending, `D` delivered, `S` skipped, `R` refused, `C` complete (stop 999 only).',
    followup: 'Whether the stop asks for a follow-up.',
    delivered_by_driver_id: 'Who delivered.',
    store_emp_id: 'Who received, as the store names its people.',
    store_emp_name: 'Who received.',
    driver_comments: "The driver's own words.",
    signature_id: 'Asset id of the signature.',
    osd_emails: 'Further readers of the delivery summary.',
    overage_items: 'What was there and not on the manifest.',
  }),
  described('Invoice', invoices.def.element, 'An invoice of a stop.', {
    id: 'Invoice number.',
    date: 'YYYY-MM-DD.',
  }),
  described('Product', product, 'A line of the manifest with its result.', {
    ...lineWords,
    invoice: 'Invoice number. The same item can stand on two invoices.',
    box_upc: 'Barcode of the case.',
    item_upc: 'Barcode of the unit.',
    updates: 'What was recorded of the line.',
    action: 'What else is to be done with it, such as scanning each piece.',
  }),
  described('ProductUpdates', product.shape.updates, 'What was recorded of a product.', {
    delivered: 'Pieces delivered.',
    accounting_complete: 'Whether the driver is done with the line.',
    image_ids: 'Asset ids of photos; null where none were ever sent.',
    osd_data: osdDataWords,
  }),
  described('Action', collectionAction, 'What is to be done with a line, and how it went.', {
    type: 'Such as `scan`, `count`, `collect`, `deliver`.',
    updates: 'What was recorded of it.',
  }),
  described('ActionUpdates', collectionAction.shape.updates, 'What was recorded of an action.', {
    delivered: 'Pieces.',
    osd_data: 'Exceptions of single pieces; their barcodes are not kept.',
  }),
  described('Collection', collection, 'Something to bring back, with its result.', {
    ...lineWords,
    ...settingWords,
    updates: 'What was recorded of it.',
    action: 'What is to be done with it.',
  }),
  described('CollectionUpdates', collection.shape.updates, 'What was recorded of a collection.', {
    returned: 'Pieces brought back.',
    osd_data: osdDataWords,
  }),
  described('ProductV20', stopPayloadV20.shape.products.def.element, 'A line of the manifest, v20.', {
    ...lineWords,
    ...settingWords,
    action: 'What else is to be done with it.',
  }),
  described('CollectionV20', stopPayloadV20.shape.collections.def.element, 'Something to bring back, v20.', {
    ...lineWords,
    ...settingWords,
    action: 'What is to be done with it.',
  }),
  described('ActionV20', stopPayloadV20.shape.collections.def.element.shape.action, 'What is to be done with a line.', {
    type: 'Such as `scan`, `count`, `collect`, `deliver`.',
  }),
  described('OsdGroup', group, 'Exceptions of one code.', {
    osd_id: 'Opaque to the server, returned as sent; null from clients before v23.',
    osd_code: 'Credit reason code, always as text.',
    data: 'One entry an exception.',
  }),
  described('OsdEntry', group.shape.data.def.element, 'One exception.', {
    osd_parent: 'Opaque to the server, returned as sent.',
    comment: 'Empty where none.',
    quantity: 'In the unit of `quantity_type`.',
    images_id: 'Asset id of a photo.',
    barcodes: 'One barcode, empty where none. Always empty on actions.',
    quantity_type: 'Units or cases; null where it was not said.',
  }),
  described('OverageItem', updates.shape.overage_items.def.element, 'Something that was not on the manifest.', {
    barcode: 'As scanned.',
    osd_code: 'Credit reason code; `85` or `86` in v20.',
    quantity: 'Pieces.',
    comment: 'Empty where none.',
    images_id: 'Asset id of a photo.',
  }),
  described('Customer', customer, 'Who is visited.', {
    id: 'Customer number.',
    name: 'For people.',
    verify_returns: 'Whether returns are to be verified at the stop.',
    contact: 'Whom to call or write to.',
    location: 'Where it is.',
  }),
  described('Contact', contact, 'Whom to call or write to.', {
    phone: 'Empty where none.',
    email: 'The customer; gets the delivery summary in v20.',
    contact_email: 'The broker or manager; gets it in the unprefixed set.',
    salesrep: 'Who sells to this customer.',
  }),
  described('SalesRep', contact.shape.salesrep, 'Who sells to a customer.', {
    id: 'Empty where none.',
    name: 'Empty where none.',
    phone: 'Empty where none.',
  }),
  described('Location', location, 'Where a customer is.', {
    address: 'Street lines.',
    city: 'City.',
    state: 'State.',
    zip: 'Postal code.',
    coordinates: 'Empty texts where unknown.',
  }),
  described('Coordinates', location.shape.coordinates, 'Decimal degrees as text.', {
    latitude: 'North of the equator, or south with a minus sign.',
    longitude: 'East of Greenwich, or west with a minus sign.',
  }),
];
