import {
  lineUpdate,
  osdEntry,
  osdGroup,
  overageItem,
  skipRefuseAnswer,
  skipRefuseBody,
  stopAnswer,
  stopObject,
  stopSyncAnswer,
  stopSyncBody,
  stopUpdates,
  warning,
} from '@tailgate/sync-protocol';
import { described } from '../described.ts';

// PUT route/stop and skip-refuse: interface.md 4.3 with contract §1 and §4. An absent field means no change; null or ""
// clears it.

const lineUpdates = lineUpdate.shape.updates.def.innerType.def.innerType;
const lineAction = lineUpdate.shape.action.def.innerType.def.innerType;
const actionUpdates = lineAction.shape.updates.def.innerType.def.innerType;

const reasonWords = {
  skip_refuse_reason_code: 'Stop exception code. In stop sync it is stored and changes no status.',
  skip_refuse_timestamp: 'When. Kept as sent, with a warning, where it is no instant.',
  skip_refuse_driver_comment: 'Why, in words.',
};
const exceptionWords = {
  comment: 'At most 2,000 characters.',
  quantity: 'Pieces.',
  images_id: 'Asset id of a photo, `""` or null for none. An empty one never clears a photo.',
};
const namedRouteWords = {
  facility: 'Narrows; needed where the id alone fits several open routes.',
  week_end: 'YYYYMMDD. Narrows like the facility.',
};

export const stopSchemas = [
  described('StopSync', stopSyncBody, 'Stops of one route. v20, v21 and v23 shapes are read on both path sets.', {
    id: 'Route id.',
    ...namedRouteWords,
    stops: 'Each is saved or refused by itself.',
  }),
  described('StopInput', stopObject, 'A stop as the driver saw it. What is absent is not changed.', {
    id: 'Stop number, as a number or as text; 999 is the warehouse.',
    arrived: 'The driver is back at the warehouse (stop 999). Never goes back to false.',
    updates: 'Fields of the stop itself.',
    products:
      'Lines by id, invoice and n-th occurrence. A line that is not sent is unchanged. A stop takes 500 that its plan does not have, a route 5,000; what is above is kept for the office with the warning `too_many_lines`.',
    collections: 'As products.',
  }),
  described('StopUpdatesInput', stopUpdates, 'Fields of a stop.', {
    status: 'The only field that changes the status. `P` never undoes another; `C` is for stop 999.',
    followup: 'Whether the stop asks for a follow-up.',
    followup_reason_code: 'Why; says `followup` where the flag itself is not sent.',
    start_delivery_time: 'ISO 8601 with any offset.',
    end_delivery_time: 'ISO 8601 with any offset. The time of the event, before `start_delivery_time`.',
    delivery_latitude: 'Decimal degrees, -90 to 90, as text or number; six decimals are kept.',
    delivery_longitude: 'Decimal degrees, -180 to 180, as text or number; six decimals are kept.',
    delivered_by_driver_id: 'Counts where that driver is on the route; else who signed in, for a delivery.',
    store_emp_id: 'Who received, as the store names its people.',
    store_emp_name: 'Who received.',
    driver_comments: 'At most 2,000 characters.',
    ...reasonWords,
    signature_id: 'Asset id of the signature. An empty one never clears a signature.',
    osd_emails: 'Further readers of the delivery summary. Replaces the list.',
    overage_items: 'What was not on the manifest. Replaces the list.',
  }),
  described('LineInput', lineUpdate, 'A product or a collection.', {
    id: 'Item code.',
    invoice: 'Of products on the unprefixed set, else a hint: no GET shows it, so the item id finds the line.',
    required: 'v20 sends its setting back; read and not stored.',
    count_in_totes: 'As `required`.',
    add_photos: 'As `required`.',
    updates:
      'Fields of the line. All lines of a stop keep 250,000 characters of JSON of exceptions, photos and `open_action`; above that only the counts of a line are saved, with the warning `too_many_lines`.',
    action: 'Fields of its action.',
  }),
  described('LineUpdatesInput', lineUpdates, 'Fields of a line.', {
    delivered: 'Pieces delivered. More than ordered is accepted, and warned of.',
    returned: 'Pieces brought back.',
    delivered_pallets: 'Stored and replicated, not shown.',
    accounting_complete: 'Whether the driver is done with the line.',
    image_ids: 'Asset ids of photos, one or several. Only `[]` clears them.',
    osd_data: 'Exceptions. Replaces the list.',
  }),
  described('ActionInput', lineAction, 'The action of a line.', {
    type: 'Any word of up to ten characters.',
    updates: 'What was recorded of it.',
    open: 'Kept for the app.',
    open_action: 'Kept for the app.',
    item_name: 'Kept for the app.',
    quantity: 'Kept for the app.',
  }),
  described('ActionUpdatesInput', actionUpdates, 'What was recorded of an action.', {
    delivered: 'Pieces.',
    osd_data: 'Exceptions of single pieces. Replaces the list; barcodes are not kept.',
  }),
  described('OsdGroupInput', osdGroup, 'Exceptions of one code.', {
    osd_id: 'Opaque to the server, returned as sent (v23).',
    osd_code: 'Number or text; kept as given.',
    data: 'One entry an exception. A group without entries stores nothing.',
  }),
  described('OsdEntryInput', osdEntry, 'One exception.', {
    osd_parent: 'Opaque to the server, returned as sent (v23).',
    ...exceptionWords,
    barcodes: 'One barcode.',
    quantity_type: 'Units or cases (v23).',
  }),
  described('OverageItemInput', overageItem, 'Something that was not on the manifest.', {
    barcode: 'As scanned.',
    osd_code: 'Number or text; other codes than 85 and 86 are warned of in v20.',
    ...exceptionWords,
  }),
  described('StopSyncAnswer', stopSyncAnswer, 'What became of the stops of one body, after commit.', {
    route_id: 'Route id.',
    facility: 'Of the route that was meant.',
    week_end: 'Of the route that was meant.',
    route_status: '`O` open, `C` closed.',
    received_at: 'By the clock of the server, UTC.',
    stops: 'In the order of the request.',
  }),
  described('StopAnswer', stopAnswer, 'What became of one stop.', {
    id: 'Stop number.',
    result:
      '`applied`; `duplicate`: known already, no effect; `stale`: nothing was left to apply; `rejected`: kept for the office, see the warning.',
    status: 'Its status now; null where it was rejected.',
    version: 'Rises with each applied change; null where it was rejected.',
    warnings:
      'What the office will look at. The stop was saved all the same, without what `superseded` and `too_many_lines` name.',
  }),
  described('Warning', warning, 'A remark on something that was accepted.', {
    code: 'For programs.',
    path: 'Dotted, from the stop object, such as `products.0.updates.delivered`.',
    message: 'For people.',
  }),
  described('SkipRefuse', skipRefuseBody, 'Which stop was skipped or refused, and why.', {
    route_id: 'Route id.',
    stop_id: 'Stop number, as a number or as text.',
    ...namedRouteWords,
    status: '`S` or `R`. Without it the type, else the type of the reason code, else `S`.',
    type: 'The status in words.',
    ...reasonWords,
  }),
  described('SkipRefuseAnswer', skipRefuseAnswer, 'The stop after the change.', {
    route_id: 'Route id.',
    stop_id: 'Stop number.',
    status: 'Its status now.',
    version: 'Rises with each applied change.',
  }),
];
