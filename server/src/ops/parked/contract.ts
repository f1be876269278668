import { blankIsAbsent, nothing, operation, pageMeta, stopObject, warning } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import {
  author,
  byWords,
  decided,
  decision,
  ofOperators,
  optionalByWords,
  pageQuery,
  requiredText,
  seen,
  seenWords,
  stopWords,
  tagged,
} from '../contract.ts';

// Operators' contract: rows that the host refuses.

/** Query of GET /api/ops/parked. */
export const parkedQuery = z.object({
  state: z._default(z.enum(['open', 'skipped', 'all']), 'open'),
  cause: blankIsAbsent(80),
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
  /** The same for all rows that the host refuses for one reason. */
  cause: z.string(),
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
const skipBody = z.object({ ...decision, seen });

/** Body of POST …/repair: the corrected fields of the stop, as an edit of the office. */
const repairBody = z.object({
  by: z.optional(z.nullable(requiredText(18))),
  reason: z.optional(z.nullable(requiredText(500))),
  stop: stopObject,
  expected_version: z.optional(z.nullable(z.int().check(z.gte(0)))),
  seen,
});

/** Body of POST …/retry. */
const retryBody = z.nullish(z.object({ by: author, reason: z.optional(z.nullable(requiredText(500))), seen }));

const cause = requiredText(80);

/** Body of POST /api/ops/parked/retry. */
const retryCauseBody = z.object({ ...decision, cause, state: z._default(z.enum(['open', 'skipped']), 'open') });
export type RetryCauseBody = z.infer<typeof retryCauseBody>;

/** Body of POST /api/ops/parked/skip. */
const skipCauseBody = z.object({ ...decision, cause, seen });
export type SkipCauseBody = z.infer<typeof skipCauseBody>;

const earlierAct = z.strictObject({ by: z.string(), at: z.iso.datetime(), count: z.int() });

/** What an act on a whole cause has changed, or an earlier act of the same kind. */
export const causeAnswer = z.strictObject({
  cause: z.string(),
  count: z.int(),
  remaining: z.int(),
  ends_at: z.nullable(z.iso.datetime()),
  first: z.nullable(earlierAct),
});
export type CauseAnswer = z.infer<typeof causeAnswer>;

const repairAnswer = z.strictObject({
  parked: parkedItem,
  /** Whether a value of the stop has changed. */
  changed: z.boolean(),
  warnings: z.array(warning),
});

const onParked = decided('PARKED_NOT_FOUND');
const causeOperation = {
  ...ofOperators,
  ...onParked,
  role: 'repair',
  method: 'POST',
  query: nothing,
  data: causeAnswer,
} as const;
const parkedOperation = { ...ofOperators, ...onParked, method: 'POST', params: parkedParams } as const;

export const parkedOperations = {
  listParked: operation({
    ...tagged,
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
    ...tagged,
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
  retryParkedCause: operation({
    ...causeOperation,
    path: '/ops/parked/retry',
    summary:
      'Retries all entries of one cause, 20 a second, the oldest first. While such a retry runs, a second one changes nothing and answers with the first.',
    message: 'They are tried again',
    body: retryCauseBody,
  }),
  skipParkedCause: operation({
    ...causeOperation,
    path: '/ops/parked/skip',
    summary:
      'Skips all open entries of one cause, for one reason. A second call changes nothing and answers with the first.',
    message: 'Skipped',
    body: skipCauseBody,
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
  }),
} as const;

export const parkedSchemas = [
  described('ParkedQuery', parkedQuery, 'Filters of the list.', {
    state: 'Open ones, skipped ones, or all.',
    cause: 'Of this cause, as in an entry.',
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
    cause: 'File, SQLSTATE and a digest of the message without its values: equal for entries of one cause.',
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
    seen: seenWords,
  }),
  described('RetryCauseBody', retryCauseBody, 'Which entries, and a decision with a name to it.', {
    by: byWords,
    reason: 'The reason, such as a corrected host.',
    cause: 'As in an entry.',
    state: 'Open entries, or skipped ones.',
  }),
  described('SkipCauseBody', skipCauseBody, 'Which entries, and a decision with a name to it.', {
    by: byWords,
    reason: 'The reason why the host goes without these rows.',
    cause: 'As in an entry.',
    seen: seenWords,
  }),
  described('CauseAnswer', causeAnswer, 'The result for all entries of one cause.', {
    cause: 'As in an entry.',
    count: 'The number of entries that this call has changed, at most 10,000.',
    remaining: 'Open entries of the cause. It falls to 0 while the host accepts the rows.',
    ends_at: 'The time at which the last entry is due, UTC; null after a skip.',
    first: 'The earlier act on the cause, where this call changes nothing.',
  }),
  described('EarlierAct', earlierAct, 'An earlier act on the same cause.', {
    by: 'Its author.',
    at: 'UTC.',
    count: 'The number of entries that it has changed.',
  }),
  described('RepairBody', repairBody, 'The corrected fields of the stop.', {
    by: `${byWords} At most 18 characters; the ledger stores it.`,
    reason: 'The reason.',
    stop: 'As in `PUT route/stop`: the given fields change. Its `id` must be that of the parked stop.',
    expected_version:
      '`version` of the entry that the author has read; absent: of the present entry. A later change of the office is not replaced.',
    seen: seenWords,
  }),
  described('RetryBody', retryBody.def.innerType.def.innerType, 'Author and reason. The body may be absent.', {
    by: optionalByWords,
    reason: 'The reason.',
    seen: seenWords,
  }),
  described('RepairAnswer', repairAnswer, 'The result. The host gets it within seconds.', {
    parked: 'The entry; it ends when the host has accepted the stop.',
    changed: 'Whether any value of the stop has changed.',
    warnings: 'Warnings, as a driver receives them.',
  }),
];
