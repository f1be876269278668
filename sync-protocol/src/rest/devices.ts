import * as z from '#schema';
import { nothing, operation } from './operations.ts';
import { blankIsAbsent, pageCursor, pageLimit, pageMeta, queryNumberOr } from '../schema/page.ts';
import { said } from './said.ts';

// What is still on the phones, for operators.

/** Query of GET /api/ops/devices; what is given must hold. */
export const deviceQuery = z.object({
  /** `silent`: has work, and was not heard of for `silent_minutes`. */
  state: z._default(z.enum(['pending', 'silent', 'revoked', 'all']), 'all'),
  employee: blankIsAbsent(10),
  /** An hour unless asked otherwise: a phone with work and a network says so every few seconds. */
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
  /** Its driver was unregistered: what it brings goes to quarantine. */
  held: z.boolean(),
});
export type DeviceItem = z.infer<typeof deviceItem>;

export const deviceParams = z.object({ client_id: z.uuid() });
export const driverParams = z.object({ employee: z.string().check(z.minLength(1), z.maxLength(10)) });

/** Body of POST …/revoke and of POST …/unregister. */
export const endingBody = z.object({ by: said(40), reason: said(500) });
export type EndingBody = z.infer<typeof endingBody>;

export const unregistered = z.strictObject({ employee: z.string(), unregistered_at: z.iso.datetime() });

const ofOperators = { sets: ['current'], access: 'operator' } as const;

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
