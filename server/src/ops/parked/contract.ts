import { nothing, operation, pageMeta, stopObject, warning } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import {
  author,
  byWords,
  decision,
  ofOperators,
  optionalByWords,
  pageQuery,
  requiredText,
  stopWords,
} from '../contract.ts';

// Operators' contract: rows that the host refuses.

/** Query of GET /api/ops/parked. */
export const parkedQuery = z.object({
  state: z._default(z.enum(['open', 'skipped', 'all']), 'open'),
  ...pageQuery,
});
export type ParkedQuery = z.infer<typeof parkedQuery>;

/** A stop, a route's own row or a row of another file that the host refuses. */
export const parkedItem = z.strictObject({
  parked_id: z.string(),
  /** RTSTUP means a stop with all of its rows, RTHDRP a route's own row. */
  file: z.string(),
  key: z.string(),
  facility: z.nullable(z.string()),
  route_id: z.nullable(z.string()),
  week_end: z.nullable(z.string()),
  stop_id: z.nullable(z.int()),
  version: z.int(),
  sqlstate: z.string(),
  reason: z.string(),
  /** JSON, as text. */
  payload: z.string(),
  attempts: z.int(),
  parked_at: z.iso.datetime(),
  next_try_at: z.nullable(z.iso.datetime()),
  state: z.enum(['open', 'skipped']),
  skipped_at: z.nullable(z.iso.datetime()),
  skipped_by: z.nullable(z.string()),
  skip_reason: z.nullable(z.string()),
});
export type ParkedItem = z.infer<typeof parkedItem>;

const parkedParams = z.object({ parked_id: z.uuid() });

/** Body of POST …/skip. */
const skipBody = z.object(decision);

/** Body of POST …/repair: the corrected fields of the stop, as an edit of the office. */
const repairBody = z.object({
  by: z.optional(z.nullable(requiredText(18))),
  reason: z.optional(z.nullable(requiredText(500))),
  stop: stopObject,
});

/** Body of POST …/retry. */
const retryBody = z.nullish(z.object({ by: author, reason: z.optional(z.nullable(requiredText(500))) }));

const repairAnswer = z.strictObject({
  parked: parkedItem,
  /** Whether a value of the stop has changed. */
  changed: z.boolean(),
  warnings: z.array(warning),
});

const parkedOperation = { ...ofOperators, method: 'POST', params: parkedParams } as const;

export const parkedOperations = {
  listParked: operation({
    method: 'GET',
    path: '/ops/parked',
    role: 'look',
    ...ofOperators,
    summary: 'Rows that the host refuses, newest first, with the reason and the values.',
    message: 'Parked rows',
    body: nothing,
    query: parkedQuery,
    data: z.array(parkedItem),
    meta: pageMeta,
    errors: [],
  }),
  readParked: operation({
    ...ofOperators,
    role: 'look',
    method: 'GET',
    path: '/ops/parked/:parked_id',
    params: parkedParams,
    summary: 'One entry. It is gone when the host has taken the row.',
    message: 'Parked row',
    body: nothing,
    query: nothing,
    data: parkedItem,
    errors: ['PARKED_NOT_FOUND'],
  }),
  retryParked: operation({
    ...parkedOperation,
    path: '/ops/parked/:parked_id/retry',
    role: 'repair',
    summary: 'Retries an entry within seconds, also a skipped one.',
    message: 'It is tried again',
    body: retryBody,
    query: nothing,
    data: parkedItem,
    errors: ['PARKED_NOT_FOUND'],
  }),
  skipParked: operation({
    ...parkedOperation,
    path: '/ops/parked/:parked_id/skip',
    role: 'repair',
    summary: 'Skips an entry: the worker retries it only after the same row changes again.',
    message: 'Skipped',
    body: skipBody,
    query: nothing,
    data: parkedItem,
    errors: ['PARKED_NOT_FOUND'],
  }),
  repairParked: operation({
    ...parkedOperation,
    path: '/ops/parked/:parked_id/repair',
    role: 'repair',
    summary: 'Corrects the stop as an edit of the office, and tries it again.',
    message: 'Repaired',
    body: repairBody,
    query: nothing,
    data: repairAnswer,
    errors: ['PARKED_NOT_FOUND'],
  }),
} as const;

export const parkedSchemas = [
  described('ParkedQuery', parkedQuery, 'Filters of the list.', {
    state: 'Open ones, skipped ones, or all.',
    ...pageWords,
  }),
  described('ParkedParams', parkedParams, 'The key of an entry.', { parked_id: 'As in the list.' }),
  described('ParkedItem', parkedItem, 'A row that the host refuses. Replication of all other rows continues.', {
    parked_id: 'The id of the entry.',
    file: 'The file of the host: `RTSTUP` means a stop with all of its rows, `RTHDRP` for a route’s own row.',
    key: 'Facility, route, week and stop, or the key of the row, joined by `/`.',
    ...stopWords,
    facility: 'Facility of the route; null where the row belongs to none.',
    version: 'The refused version of the route or the row.',
    sqlstate: 'The SQLSTATE of the fault; blank for a close that only waits for parked stops.',
    reason: 'The message of the host.',
    payload: 'The rows to write, as JSON; blank if the worker could not render them.',
    attempts: 'The number of attempts.',
    parked_at: 'The time of its parking, UTC.',
    next_try_at: 'UTC; null for a skipped entry.',
    state: 'Open (the worker tries again) or skipped.',
    skipped_at: 'The time at which an operator skipped it, UTC.',
    skipped_by: 'The name of that operator.',
    skip_reason: 'The reason of that operator.',
  }),
  described('SkipBody', skipBody, 'A decision, with a name to it.', {
    by: byWords,
    reason: 'The reason why the host goes without the row.',
  }),
  described('RepairBody', repairBody, 'The corrected fields of the stop.', {
    by: `${byWords} At most 18 characters; the ledger stores it.`,
    reason: 'The reason.',
    stop: 'As in `PUT route/stop`: the given fields change. Its `id` must be that of the parked stop.',
  }),
  described('RetryBody', retryBody.def.innerType.def.innerType, 'Author and reason. The body may be absent.', {
    by: optionalByWords,
    reason: 'The reason.',
  }),
  described('RepairAnswer', repairAnswer, 'The result. The host gets it within seconds.', {
    parked: 'The entry; it ends when the host has accepted the stop.',
    changed: 'Whether any value of the stop has changed.',
    warnings: 'Warnings, as a driver receives them.',
  }),
];
