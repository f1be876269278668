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
  skip_refuse_reason_code: 'Stop exception code. Stop sync stores it without a change of status.',
  skip_refuse_timestamp: 'Time of the skip or refusal. The server stores an invalid time as sent, with a warning.',
  skip_refuse_driver_comment: 'Comment of the driver.',
};
const exceptionWords = {
  comment: 'At most 2,000 characters.',
  quantity: 'Pieces.',
  images_id: 'Asset id of a photo; `""` or null without one. An empty value never clears a photo.',
};
const namedRouteWords = {
  facility: 'Facility code. Required if several open routes have the id.',
  week_end: 'YYYYMMDD. Required if several open routes have the id.',
};

export const stopSchemas = [
  described('StopSync', stopSyncBody, 'Stops of one route. Both path sets accept the shapes of v20, v21 and v23.', {
    id: 'Route id.',
    ...namedRouteWords,
    stops: 'The server saves or rejects each stop separately.',
  }),
  described('StopInput', stopObject, 'A stop with the entries of the driver. Absent fields do not change.', {
    id: 'Stop number, as a number or as text; 999 is the warehouse.',
    arrived: 'Whether the driver is back at the warehouse (stop 999). Never changes back to false.',
    updates: 'Fields of the stop itself.',
    products:
      'Lines by id, invoice and occurrence. Absent lines do not change. A stop accepts 500 unplanned lines, a route 5,000. The server reports further lines to the office and does not apply them; the answer contains the warning `too_many_lines`.',
    collections: 'Collections, by the rules of `products`.',
  }),
  described('StopUpdatesInput', stopUpdates, 'Fields of a stop.', {
    status: 'The only field that changes the status. `P` never undoes another; `C` is for stop 999.',
    followup: 'Whether the stop needs a follow-up.',
    followup_reason_code: 'Reason of the follow-up. Sets `followup` if the request lacks the flag.',
    start_delivery_time: 'ISO 8601 with any offset.',
    end_delivery_time: 'ISO 8601 with any offset. The time of the event, before `start_delivery_time`.',
    delivery_latitude: 'Decimal degrees, -90 to 90, as text or number. The server stores six decimals.',
    delivery_longitude: 'Decimal degrees, -180 to 180, as text or number. The server stores six decimals.',
    delivered_by_driver_id: 'Valid for a driver of the route. Otherwise a delivery records the signed-in driver.',
    store_emp_id: 'Employee id of the receiver at the store.',
    store_emp_name: 'Name of the receiver at the store.',
    driver_comments: 'At most 2,000 characters.',
    ...reasonWords,
    signature_id: 'Asset id of the signature. An empty value never clears a signature.',
    osd_emails: 'Additional recipients of the delivery summary. Replaces the list.',
    overage_items: 'Items that are not on the manifest. Replaces the list.',
  }),
  described('LineInput', lineUpdate, 'A product or a collection.', {
    id: 'Item code.',
    invoice:
      'Part of the key of products on the unprefixed set. Elsewhere a hint: no GET contains it, so the item id identifies the line.',
    required: 'v20 sends the setting back; the server ignores it.',
    count_in_totes: 'As `required`.',
    add_photos: 'As `required`.',
    updates:
      'Fields of the line. The exceptions, photos and `open_action` of a stop may have 250,000 characters of JSON. Above that the server saves only the counts of a line, with the warning `too_many_lines`.',
    action: 'The action of the line.',
  }),
  described('LineUpdatesInput', lineUpdates, 'Fields of a line.', {
    delivered: 'Pieces delivered. More than ordered causes a warning.',
    returned: 'Pieces brought back.',
    delivered_pallets: 'Stored and replicated; answers do not contain it.',
    accounting_complete: 'Whether the driver has finished the line.',
    image_ids: 'Asset ids of photos, one or several. Only `[]` clears them.',
    osd_data: 'Exceptions. Replaces the list.',
  }),
  described('ActionInput', lineAction, 'The action of a line.', {
    type: 'Any word of up to ten characters.',
    updates: 'The recorded results.',
    open: 'The server stores it for the app.',
    open_action: 'The server stores it for the app.',
    item_name: 'The server stores it for the app.',
    quantity: 'The server stores it for the app.',
  }),
  described('ActionUpdatesInput', actionUpdates, 'The recorded results of an action.', {
    delivered: 'Pieces.',
    osd_data: 'Exceptions of single pieces. Replaces the list. The server does not store barcodes.',
  }),
  described('OsdGroupInput', osdGroup, 'Exceptions of one code.', {
    osd_id: 'Opaque: the server returns the sent value (v23).',
    osd_code: 'Number or text; stored as sent.',
    data: 'One entry for each exception. The server ignores a group without entries.',
  }),
  described('OsdEntryInput', osdEntry, 'One exception.', {
    osd_parent: 'Opaque: the server returns the sent value (v23).',
    ...exceptionWords,
    barcodes: 'One barcode.',
    quantity_type: 'Units or cases (v23).',
  }),
  described('OverageItemInput', overageItem, 'An item that is not on the manifest.', {
    barcode: 'The scanned barcode.',
    osd_code: 'Number or text. In v20, codes other than 85 and 86 cause a warning.',
    ...exceptionWords,
  }),
  described('StopSyncAnswer', stopSyncAnswer, 'The results of the stops of one request, after the commit.', {
    route_id: 'Route id.',
    facility: 'Facility of the route.',
    week_end: 'Week end of the route, YYYYMMDD.',
    route_status: '`O` open, `C` closed.',
    received_at: 'Time of receipt by the clock of the server, UTC.',
    stops: 'Stops in the order of the request.',
  }),
  described('StopAnswer', stopAnswer, 'The result of one stop.', {
    id: 'Stop number.',
    result:
      '`applied`; `duplicate`: a repetition without effect; `stale`: nothing left to apply; `rejected`: in quarantine for the office, see the warning.',
    status: 'Present status; null for a rejected stop.',
    version: 'Increases with each applied change; null for a rejected stop.',
    warnings:
      'Remarks for the office. The server saves the stop, without the parts that `superseded` and `too_many_lines` name.',
  }),
  described('Warning', warning, 'A remark on an accepted change.', {
    code: 'The code for programs.',
    path: 'Dotted path within the stop object, such as `products.0.updates.delivered`.',
    message: 'The text for people.',
  }),
  described('SkipRefuse', skipRefuseBody, 'A skipped or refused stop, with the reason.', {
    route_id: 'Route id.',
    stop_id: 'Stop number, as a number or as text.',
    ...namedRouteWords,
    status: '`S` or `R`. Defaults to `type`, then to the type of the reason code, then to `S`.',
    type: 'The status as a word.',
    ...reasonWords,
  }),
  described('SkipRefuseAnswer', skipRefuseAnswer, 'The stop after the change.', {
    route_id: 'Route id.',
    stop_id: 'Stop number.',
    status: 'Present status.',
    version: 'Increases with each applied change.',
  }),
];
