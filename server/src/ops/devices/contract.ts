import { blankIsAbsent, nothing, operation, pageMeta, queryNumberOr } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import {
  author,
  blankId,
  byWords,
  decided,
  decision,
  employeeName,
  ofOperators,
  pageQuery,
  requiredText,
  tagged,
} from '../contract.ts';

// Operators' contract: queues on phones.

/** Query of GET /api/ops/devices. Filters combine. */
export const deviceQuery = z.object({
  /** `silent`: the queue has pending items and sent nothing for `silent_minutes`. */
  state: z._default(z.enum(['pending', 'silent', 'revoked', 'all']), 'all'),
  employee: blankIsAbsent(10),
  /** One queue by its id. */
  client_id: blankId,
  /** An hour by default: a phone with work and a network reports every few seconds. */
  silent_minutes: queryNumberOr(60, 1, 100_000),
  ...pageQuery,
});
export type DeviceQuery = z.infer<typeof deviceQuery>;

/** A queue: one employee on one installation of the app. A shared phone has several. */
export const deviceItem = z.strictObject({
  client_id: z.string(),
  employee: z.string(),
  employee_name: z.string(),
  facility: z.nullable(z.string()),
  device: z.string(),
  app: z.string(),
  sdk: z.string(),
  pending: z.int(),
  oldest_pending_at: z.nullable(z.iso.datetime()),
  pending_files: z.nullable(z.int()),
  pending_bytes: z.nullable(z.int()),
  oldest_file_at: z.nullable(z.iso.datetime()),
  silent: z.boolean(),
  last_seq: z.int(),
  quarantined: z.int(),
  signed_in: z.boolean(),
  created_at: z.iso.datetime(),
  last_seen_at: z.iso.datetime(),
  revoked_at: z.nullable(z.iso.datetime()),
  revoked_by: z.nullable(z.string()),
  revoke_reason: z.nullable(z.string()),
  /** The driver is not registered any more, so items of this queue go to quarantine. */
  held: z.boolean(),
});
export type DeviceItem = z.infer<typeof deviceItem>;

const deviceParams = z.object({ client_id: z.uuid() });
const driverParams = z.object({ employee: z.string().check(z.minLength(1), z.maxLength(10)) });

/** Body of POST …/revoke and of POST …/unregister. */
const endingBody = z.object(decision);

/** Sealed items of one queue, in their order. The rules check each item by itself. */
const rescueBody = z.object({
  by: author,
  employee: requiredText(10),
  mutations: z.array(z.unknown()).check(z.maxLength(256)),
});

const remark = z.strictObject({ path: z.string(), message: z.string() });
const rescuedItem = z.strictObject({
  seq: z.int(),
  id: z.string(),
  result: z.enum(['applied', 'duplicate', 'quarantined']),
  reason: z.nullable(z.string()),
  details: z.array(remark),
  warnings: z.array(remark),
});
export type RescuedItem = z.infer<typeof rescuedItem>;

const rescued = z.strictObject({
  last_seq: z.int(),
  results: z.array(rescuedItem),
  wants: z.nullable(z.int()),
  fork: z.nullable(z.int()),
});

const unregistered = z.strictObject({ employee: z.string(), unregistered_at: z.iso.datetime() });

export const deviceOperations = {
  listDevices: operation({
    ...tagged,
    ...ofOperators,
    method: 'GET',
    path: '/ops/devices',
    role: 'look',
    summary: 'The queues of phones: pending items, the age of the oldest, and which phones are silent.',
    message: 'Devices',
    body: nothing,
    query: deviceQuery,
    data: z.array(deviceItem),
    meta: pageMeta,
    errors: [],
  }),
  revokeDevice: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/devices/:client_id/revoke',
    role: 'admin',
    params: deviceParams,
    summary:
      'Ends a lost phone: its queue, the queue key, and its driver’s sessions there. Only an operator can submit the items that are still on it.',
    message: 'Revoked',
    body: endingBody,
    query: nothing,
    data: deviceItem,
    errors: ['DEVICE_NOT_FOUND'],
  }),
  rescueQueue: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/devices/:client_id/rescue',
    role: 'repair',
    params: deviceParams,
    summary:
      'Submits changes that a broken phone has exported, in their author’s name and with their times. Repeated changes count once.',
    message: 'Submitted',
    body: rescueBody,
    query: nothing,
    data: rescued,
    errors: ['CLIENT_OF_OTHER_EMPLOYEE', 'DEVICE_NOT_FOUND'],
  }),
  unregisterDriver: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/drivers/:employee/unregister',
    role: 'admin',
    params: driverParams,
    summary:
      'Ends all sessions and the password of a driver, who may sign up again. Later items of their queues go to quarantine.',
    message: 'Unregistered',
    body: endingBody,
    query: nothing,
    data: unregistered,
    ...decided('EMPLOYEE_NOT_FOUND'),
  }),
} as const;

export const deviceSchemas = [
  described('DeviceQuery', deviceQuery, 'Filters of queues; they combine.', {
    state: '`pending`: with pending items. `silent`: with pending items and without a report for `silent_minutes`.',
    employee: 'Of this driver.',
    client_id: 'With this id.',
    silent_minutes: 'Minutes without a report; 60 by default.',
    ...pageWords,
  }),
  described(
    'DeviceItem',
    deviceItem,
    'A queue: one driver on one installation of the app. A shared phone has several.',
    {
      client_id: 'Id of the queue.',
      employee: 'Employee id of its driver.',
      employee_name: employeeName,
      facility: 'The facility of the driver; null where the host names none.',
      device: 'The name of the device.',
      app: 'The app and its version.',
      sdk: 'The SDK and its version.',
      pending: 'Unsent changes at the last report.',
      oldest_pending_at: 'When the oldest of them was recorded, by the clock of the phone, UTC.',
      pending_files:
        'Files of its driver that the server lacked at the last report; null where the app does not report them.',
      pending_bytes: 'Their size in bytes.',
      oldest_file_at: 'When the oldest of them was added, by the clock of the phone, UTC.',
      silent: 'Whether it has pending items and did not report for `silent_minutes`.',
      last_seq: 'The sequence number of its last received item.',
      quarantined: 'Number of its items in open quarantine.',
      signed_in: 'Whether its driver has a session on any device.',
      created_at: 'The time of its first hello, UTC.',
      last_seen_at: 'The time of its last report, UTC, to the minute.',
      revoked_at: 'The time at which an operator ended it, UTC.',
      revoked_by: 'The name of that operator.',
      revoke_reason: 'The reason of that operator.',
      held: 'Whether its driver was unregistered: then its items go to quarantine. Items of any other revoked queue are refused.',
    },
  ),
  described('DeviceParams', deviceParams, 'The key of a queue.', { client_id: 'As in the list.' }),
  described('DriverParams', driverParams, 'The key of a driver.', { employee: 'Their employee id.' }),
  described('EndingBody', endingBody, 'A decision, with a name to it.', {
    by: byWords,
    reason: 'The reason, such as a stolen phone.',
  }),
  described('RescueBody', rescueBody, 'A part of an exported queue.', {
    by: byWords,
    employee: '`employee_id` of the export: the author of its changes.',
    mutations: 'Of the export, unchanged and in order: at most 256 in one request.',
  }),
  described('RescueRemark', remark, 'A remark about a change.', {
    path: 'Dotted, such as `stop.updates.status`; blank for the whole change.',
    message: 'For people.',
  }),
  described('RescuedItem', rescuedItem, 'What became of one change.', {
    seq: 'Its number in the queue.',
    id: 'Its id.',
    result: '`duplicate`: the server had it. `quarantined`: an operator decides about it.',
    reason: 'Of a quarantined change, for people.',
    details: 'Of a quarantined change: each fault with its path.',
    warnings: 'Remarks about an applied change.',
  }),
  described('Rescued', rescued, 'The results, in the order of the changes. A change without a result is not stored.', {
    last_seq: 'The number of the last change of this queue that the server has.',
    results: 'One for each stored change.',
    wants: 'The number that the server expects next, where changes before it are missing; else null.',
    fork: 'The number that the queue has used for another change before; else null.',
  }),
  described('Unregistered', unregistered, 'A driver who may sign up again.', {
    employee: 'Their employee id.',
    unregistered_at: 'UTC.',
  }),
];
