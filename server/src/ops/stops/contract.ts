import type { DeepReadonly } from '@tailgate/sync-protocol';
import { customer, nothing, operation, stopNumber } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { employeeName, mutationWords, ofOperators, stopWords } from '../contract.ts';
import { historyFile, historyMail, hostStatus, proofMail } from '../history/contract.ts';
import { opsRouteParams, stopSummary } from '../routes/contract.ts';

// Operators' contract: one stop in full, and what phone, server and host have of it.

/** A stop's key in a path. */
export const opsStopParams = z.object({ ...opsRouteParams.shape, stop_id: stopNumber });
export type OpsStopParams = z.infer<typeof opsStopParams>;

/** A moment in UTC and on the clock of the facility, both ISO 8601. */
const moment = z.strictObject({ utc: z.iso.datetime(), local: z.iso.datetime({ offset: true }) });
export type Moment = z.infer<typeof moment>;

const stopTimes = z.strictObject({
  planned: z.nullable(moment),
  started: z.nullable(moment),
  ended: z.nullable(moment),
  skipped: z.nullable(moment),
  status: z.nullable(moment),
});

/** A text of the driver, and its form on the green screen. */
const screenText = z.strictObject({ text: z.string(), on_screen: z.string(), altered: z.boolean() });
export type ScreenText = z.infer<typeof screenText>;

const codeUsed = z.strictObject({ code: z.string(), meaning: z.string() });

const stopException = z.strictObject({
  code: z.string(),
  meaning: z.string(),
  quantity: z.int(),
  quantity_type: z.nullable(z.enum(['units', 'cases'])),
  comment: z.string(),
  barcode: z.string(),
  asset_id: z.nullable(z.string()),
});
export type StopException = z.infer<typeof stopException>;

/** A line of the plan with its result. Counts without a record are null, which is not zero. */
const stopLine = z.strictObject({
  kind: z.enum(['product', 'collection']),
  id: z.string(),
  invoice: z.string(),
  n: z.int(),
  name: z.string(),
  description: z.string(),
  section: z.string(),
  container_type: z.string(),
  planned: z.nullable(z.int()),
  delivered: z.nullable(z.int()),
  returned: z.nullable(z.int()),
  delivered_pallets: z.nullable(z.int()),
  accounting_complete: z.boolean(),
  action: z.nullable(z.string()),
  action_delivered: z.nullable(z.int()),
  photos: z.array(z.string()),
  exceptions: z.array(stopException),
});
export type StopLine = z.infer<typeof stopLine>;

/** A file of the history with its place at the stop. */
const stopFile = z.strictObject({
  ...historyFile.shape,
  name: z.string(),
  use: z.enum(['signature', 'photo']),
  line: z.nullable(z.strictObject({ id: z.string(), invoice: z.string() })),
});
export type StopFile = z.infer<typeof stopFile>;

const receipts = z.strictObject({
  mutation_id: z.string(),
  source: z.enum(['sync', 'rest', 'office', 'timer']),
  employee: z.string(),
  employee_name: z.string(),
  phone_at: z.nullable(z.iso.datetime()),
  server_at: z.iso.datetime(),
  host_at: z.nullable(z.iso.datetime()),
});
export type Receipts = z.infer<typeof receipts>;

export const opsStop = z.strictObject({
  summary: stopSummary,
  route_name: z.string(),
  customer,
  times: stopTimes,
  arrived: z.boolean(),
  follow_up: z.nullable(codeUsed),
  skip_reason: z.nullable(codeUsed),
  skip_comment: z.nullable(screenText),
  comment: z.nullable(screenText),
  received_by: z.strictObject({ id: z.string(), name: z.string() }),
  delivered_by: z.string(),
  position: z.nullable(z.strictObject({ latitude: z.string(), longitude: z.string() })),
  signature_id: z.nullable(z.string()),
  lines: z.array(stopLine),
  overage: z.array(stopException),
  osd_emails: z.array(z.string()),
  mail_recipients: z.array(z.string()),
  files: z.array(stopFile),
  mails: z.array(historyMail),
  proofs: z.array(proofMail),
  receipts: z.nullable(receipts),
  host: hostStatus,
});
export type OpsStop = DeepReadonly<z.infer<typeof opsStop>>;

/** Query of the comparison. */
const compareQuery = z.object({ host: z._default(z.enum(['confirmed', 'live']), 'confirmed') });

const value = z.nullable(z.string());
const comparedField = z.strictObject({
  file: z.string(),
  row: z.string(),
  column: z.string(),
  label: z.string(),
  phone: value,
  server: value,
  host: value,
  differs: z.enum(['none', 'phone', 'server', 'host', 'all']),
});
export type ComparedField = z.infer<typeof comparedField>;

export const stopComparison = z.strictObject({
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.int(),
  version: z.int(),
  phone_version: z.nullable(z.int()),
  host_read: z.enum(['confirmed', 'live']),
  host_at: z.nullable(z.iso.datetime()),
  host_trace: z.string(),
  different: z.int(),
  fields: z.array(comparedField),
});
export type StopComparison = z.infer<typeof stopComparison>;

const ofStop = {
  ...ofOperators,
  role: 'look',
  method: 'GET',
  params: opsStopParams,
  body: nothing,
} as const;

export const opsStopOperations = {
  readOpsStop: operation({
    ...ofStop,
    path: '/ops/routes/:facility/:route_id/:week_end/stops/:stop_id',
    summary:
      'One stop: plan and result by line, comments, receiver, files, mails, receipts, and its state on the host.',
    message: 'Stop',
    query: nothing,
    data: opsStop,
    requestHeaders: ['if-none-match'],
    errors: ['ROUTE_NOT_FOUND', 'STOP_NOT_FOUND'],
  }),
  compareStop: operation({
    ...ofStop,
    path: '/ops/routes/:facility/:route_id/:week_end/stops/:stop_id/comparison',
    summary:
      'Each field of a stop three times, in the form of the host: as phones sent it, as the server has it, as the host has it.',
    message: 'Comparison',
    query: compareQuery,
    data: stopComparison,
    errors: ['ROUTE_NOT_FOUND', 'STOP_NOT_FOUND', 'HOST_UNAVAILABLE'],
  }),
} as const;

const exceptionWords = {
  code: 'Credit reason code.',
  meaning: 'The meaning of the code; blank where the list does not have it.',
  quantity: 'In the unit of `quantity_type`.',
  quantity_type: 'Units or cases; null if unknown.',
  comment: 'The comment of the driver; blank without one.',
  barcode: 'The scanned barcode; blank without one.',
  asset_id: 'The photo (`GET /api/ops/assets/{asset_id}`).',
};

export const opsStopSchemas = [
  described('OpsStopParams', opsStopParams, 'Which stop.', stopWords),
  described('OpsStop', opsStop, 'A stop in full.', {
    summary: 'The stop as lists show it.',
    route_name: 'Display name of the route.',
    customer: 'The customer.',
    times: 'Its times, each in UTC and on the clock of the facility.',
    arrived: 'Whether the arrival was recorded.',
    follow_up: 'The reason of the follow-up; null without one.',
    skip_reason: 'The reason of a skipped or refused stop; null without one.',
    skip_comment: 'The comment on it; null without one.',
    comment: 'The comment of the driver; null without one.',
    received_by: 'The receiver at the store; blank where it is unknown.',
    delivered_by: 'Employee id of the delivering driver; blank where it is unknown.',
    position: 'The place of the delivery; null where it is unknown.',
    signature_id: 'The file of the signature.',
    lines: 'The lines of the plan in the order of the manifest, then recorded lines beyond it.',
    overage: 'Items that are not on the manifest.',
    osd_emails: 'Addresses that the driver added.',
    mail_recipients: 'Recipients of the delivery summary by the present data.',
    files: 'Signature and photos.',
    mails: 'Delivery mails that a mail server has taken.',
    proofs: 'Delivery summaries that operators have sent to an address, newest first.',
    receipts: 'The latest change on its way: phone, server, host. Null where no change was recorded.',
    host: 'What the host has of the stop.',
  }),
  described('OpsMoment', moment, 'A moment twice.', {
    utc: 'UTC.',
    local: 'On the clock of the facility, with its offset.',
  }),
  described('StopTimes', stopTimes, 'The times of a stop; null where one is not recorded.', {
    planned: 'Planned arrival.',
    started: 'Beginning of the delivery.',
    ended: 'End of the delivery.',
    skipped: 'Time of the skip or the refusal.',
    status: 'When the stop got its status.',
  }),
  described('ScreenText', screenText, 'A text of the driver.', {
    text: 'As recorded.',
    on_screen: 'As the green screen shows it.',
    altered: 'Whether the host cannot show it unchanged.',
  }),
  described('CodeUsed', codeUsed, 'A code with its meaning.', {
    code: 'The code.',
    meaning: 'Blank where the list does not have it.',
  }),
  described('LineException', stopException, 'An exception of a line, or an overage item.', exceptionWords),
  described('StopLine', stopLine, 'A line of the stop. A count without a record is null.', {
    kind: 'A product, or something to bring back.',
    id: 'Item code.',
    invoice: 'Invoice number; blank without one.',
    n: '0 for the first line of this item and invoice.',
    name: 'Item name.',
    description: 'Item description.',
    section: 'Product section.',
    container_type: 'Container type.',
    planned: 'Pieces planned; null where the plan does not have the line.',
    delivered: 'Pieces delivered.',
    returned: 'Pieces brought back.',
    delivered_pallets: 'Pallets delivered.',
    accounting_complete: 'Whether the driver has finished the line.',
    action: 'The task of the line, such as `scan`; null without one.',
    action_delivered: 'Pieces of the task.',
    photos: 'Asset ids of its photos.',
    exceptions: 'Its exceptions, those of the task included.',
  }),
  described('OpsStopFile', stopFile, 'A file of the stop.', {
    asset_id: 'Names the file: `GET /api/ops/assets/{asset_id}`.',
    state: '`awaited`: its bytes are still to come. `missing`: they have not come for a day.',
    mime: 'Its type, detected from its bytes; blank until they arrive.',
    size: 'Bytes.',
    received_at: 'When all of them were here, UTC.',
    sha256: 'SHA-256 of its bytes, in hexadecimal, computed at the receipt. Null until then.',
    on_host: 'Whether the host has it whole.',
    name: 'Its name on the phone; blank without one.',
    use: 'The signature, or a photo.',
    line: 'The line that names it; null for the signature and an overage item.',
  }),
  described('OpsStopFileLine', stopFile.shape.line.def.innerType, 'The line of a photo.', {
    id: 'Item code.',
    invoice: 'Invoice number.',
  }),
  described('Receiver', opsStop.shape.received_by, 'The receiver at the store.', {
    id: 'Employee id at the store; blank without one.',
    name: 'Name; blank without one.',
  }),
  described('DeliveryPosition', opsStop.shape.position.def.innerType, 'Decimal degrees as text.', {
    latitude: 'Latitude.',
    longitude: 'Longitude.',
  }),
  described('StopReceipts', receipts, 'The latest change of a stop on its way.', {
    mutation_id: mutationWords.id,
    source: mutationWords.source,
    employee: 'The author.',
    employee_name: employeeName,
    phone_at: 'When the phone recorded it, by its own clock, UTC; null where no phone did.',
    server_at: 'When the server received it, UTC.',
    host_at: 'When the host confirmed the stop with it, UTC; null until then.',
  }),
  described('CompareQuery', compareQuery, 'Which state of the host.', {
    host: '`confirmed`: the rows that the host last confirmed. `live`: the rows as they are now, read from the host.',
  }),
  described('StopComparison', stopComparison, 'A stop as phones, server and host have it.', {
    ...stopWords,
    version: 'The route version of the latest change.',
    phone_version: 'The route version of the latest change by a phone; null without one.',
    host_read: 'Which rows of the host are shown.',
    host_at: 'When the host confirmed them, or when they were read, UTC; null where the host has none.',
    host_trace: 'The trace id of these rows; blank without one.',
    different: 'Number of fields that are not the same everywhere.',
    fields: 'The fields by file, row and column, different ones first.',
  }),
  described(
    'ComparedField',
    comparedField,
    'A field three times. Values have the form of the host; null: no such row.',
    {
      file: 'The file of the host.',
      row: 'The key of the row within the stop, joined by `/`; blank where the stop has one row there.',
      column: 'The column.',
      label: 'The text of the column on the host.',
      phone: 'By the changes of phones alone, with their own times.',
      server: 'As the server has it.',
      host: 'As the host has it.',
      differs: 'The one that differs from the two others; `all` where each differs.',
    },
  ),
];
