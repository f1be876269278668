import {
  blankIsAbsent,
  nothing,
  operation,
  pageCursor,
  pageLimit,
  pageMeta,
  queryNumberOr,
} from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import { ofOperators, requiredText } from '../contract.ts';

// Operators' contract: queues on phones.

/** Query of GET /api/ops/devices. Filters combine. */
export const deviceQuery = z.object({
  /** `silent`: the queue has pending items and sent nothing for `silent_minutes`. */
  state: z._default(z.enum(['pending', 'silent', 'revoked', 'all']), 'all'),
  employee: blankIsAbsent(10),
  /** An hour by default: a phone with work and a network reports every few seconds. */
  silent_minutes: queryNumberOr(60, 1, 100_000),
  limit: pageLimit,
  cursor: pageCursor,
});
export type DeviceQuery = z.infer<typeof deviceQuery>;

/** A queue: one employee on one installation of the app. A shared phone has several. */
export const deviceItem = z.strictObject({
  client_id: z.string(),
  employee: z.string(),
  employee_name: z.string(),
  device: z.string(),
  app: z.string(),
  sdk: z.string(),
  pending: z.int(),
  oldest_pending_at: z.nullable(z.iso.datetime()),
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
export const endingBody = z.object({ by: requiredText(40), reason: requiredText(500) });
export type EndingBody = z.infer<typeof endingBody>;

const unregistered = z.strictObject({ employee: z.string(), unregistered_at: z.iso.datetime() });

export const deviceOperations = {
  listDevices: operation({
    ...ofOperators,
    method: 'GET',
    path: '/ops/devices',
    summary: 'The phones as they were heard of last: what they still hold, since when, and who is silent.',
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
    params: deviceParams,
    summary:
      'Ends a lost phone: its queue, the queue’s key, and its driver’s sessions there. What it holds only an operator can bring.',
    message: 'Revoked',
    body: endingBody,
    query: nothing,
    data: deviceItem,
    errors: ['DEVICE_NOT_FOUND'],
  }),
  unregisterDriver: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/drivers/:employee/unregister',
    params: driverParams,
    summary:
      'All sessions of a driver end, no password counts, and they may sign up anew. What their queues bring goes to quarantine.',
    message: 'Unregistered',
    body: endingBody,
    query: nothing,
    data: unregistered,
    errors: ['EMPLOYEE_NOT_FOUND'],
  }),
} as const;

export const deviceSchemas = [
  described('DeviceQuery', deviceQuery, 'Which queues; what is given must hold.', {
    state: '`pending`: with work. `silent`: with work, and not heard of for a while.',
    employee: 'Of this driver.',
    silent_minutes: 'How long that while is, 60 unless asked otherwise.',
    ...pageWords,
  }),
  described(
    'DeviceItem',
    deviceItem,
    'A queue: one driver on one installation of the app. A shared phone has several.',
    {
      client_id: 'Names the queue.',
      employee: 'Whose it is.',
      employee_name: 'As the master has it; blank where it has none.',
      device: 'As the phone calls itself.',
      app: 'The app and its version.',
      sdk: 'The SDK and its version.',
      pending: 'Changes and files that it held and had not brought, when it was heard of last.',
      oldest_pending_at: 'When the oldest of them was recorded, by the clock of the phone, UTC.',
      silent: 'With work, and not heard of for a while.',
      last_seq: 'How many changes of this queue have come.',
      quarantined: 'How many of them wait for a person.',
      signed_in: 'Whether its driver has a session, on whatever device.',
      created_at: 'When it was first heard of, UTC.',
      last_seen_at: 'When it was heard of last, UTC, to the minute.',
      revoked_at: 'When an operator ended it, UTC.',
      revoked_by: 'Who.',
      revoke_reason: 'Why, in their words.',
      held: 'Its driver was unregistered: what it brings goes to quarantine. Otherwise a revoked queue brings nothing.',
    },
  ),
  described('DeviceParams', deviceParams, 'Which queue.', { client_id: 'As the list names it.' }),
  described('DriverParams', driverParams, 'Which driver.', { employee: 'Their employee id.' }),
  described('EndingBody', endingBody, 'A decision, with a name to it.', {
    by: 'Who decides.',
    reason: 'Why, such as a phone that was stolen.',
  }),
  described('Unregistered', unregistered, 'A driver who may sign up anew.', {
    employee: 'Their employee id.',
    unregistered_at: 'UTC.',
  }),
];
