import { blankIsAbsent, nothing, operation, pageMeta, text, warning } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import {
  author,
  byWords,
  decided,
  decision,
  employeeName,
  firstDecision,
  mutationWords,
  ofOperators,
  pageQuery,
  seen,
  seenWords,
  tagged,
} from '../contract.ts';

// Operators' contract: mutations that the server could not apply.

/** Query of GET /api/ops/quarantine. Filters combine. */
export const quarantineQuery = z.object({
  state: z._default(z.enum(['open', 'released', 'dismissed', 'all']), 'open'),
  /** Why it was not applied, such as `STOP_NOT_FOUND`. */
  code: blankIsAbsent(40),
  /** Such as `stop.update`. */
  name: blankIsAbsent(100),
  ...pageQuery,
});
export type QuarantineQuery = z.infer<typeof quarantineQuery>;

/**
 * A mutation that the server could not apply. Quarantine keeps it unchanged until a person releases or dismisses it.
 */
export const quarantinedItem = z.strictObject({
  quarantine_id: z.string(),
  /** The mutation's own id. */
  id: z.string(),
  client_id: z.nullable(z.string()),
  seq: z.nullable(z.int()),
  employee: z.string(),
  /** From the employee master; blank where it has no such employee. */
  employee_name: z.string(),
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.nullable(z.int()),
  name: z.string(),
  code: z.string(),
  reason: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })),
  /** The bytes as text. `body_encoding` is base64 where they are not UTF-8. */
  body: z.string(),
  body_encoding: z.enum(['utf-8', 'base64']),
  received_at: z.iso.datetime(),
  /** A repeated REST request adds no entry. An item of a queue has its own id. */
  attempts: z.int(),
  last_received_at: z.iso.datetime(),
  state: z.enum(['open', 'released', 'dismissed']),
  resolved_at: z.nullable(z.iso.datetime()),
  resolved_by: z.nullable(z.string()),
  note: z.nullable(z.string()),
});
export type QuarantinedItem = z.infer<typeof quarantinedItem>;

/** One entry in full, with fields that the list omits. */
export const quarantineEntry = z.strictObject({
  ...quarantinedItem.shape,
  source: z.enum(['sync', 'rest', 'office', 'timer']),
  device: z.string(),
  app: z.string(),
  captured_at: z.nullable(z.iso.datetime()),
  edit_time: z.nullable(z.iso.datetime()),
  /** The route version with the released mutation; null for a report. */
  version: z.nullable(z.int()),
});
export type QuarantineEntry = z.infer<typeof quarantineEntry>;

const quarantineParams = z.object({ quarantine_id: z.uuid() });

/** Body of POST …/release. */
const releaseBody = z.object({ by: author, note: z._default(text(500), ''), seen });

export const releaseAnswer = z.strictObject({
  item: quarantineEntry,
  /** Whether a value of the stop has changed; false for a duplicate and where every field was stale. */
  changed: z.boolean(),
  warnings: z.array(warning),
});
export type ReleaseAnswer = z.infer<typeof releaseAnswer>;

/** Body of POST …/dismiss. */
const dismissBody = z.object({ ...decision, seen });

const ofEntry = { ...ofOperators, params: quarantineParams, query: nothing } as const;

export const quarantineOperations = {
  listQuarantine: operation({
    ...tagged,
    ...ofOperators,
    method: 'GET',
    path: '/ops/quarantine',
    role: 'look',
    summary:
      'Mutations that the server could not apply, newest first, with the reason and the received text. A page also ends once its texts have 4 MiB.',
    message: 'Quarantined mutations',
    body: nothing,
    query: quarantineQuery,
    data: z.array(quarantinedItem),
    meta: pageMeta,
    errors: [],
  }),
  readQuarantined: operation({
    ...tagged,
    ...ofEntry,
    method: 'GET',
    path: '/ops/quarantine/:quarantine_id',
    role: 'look',
    summary: 'One entry in full, with author, device, times and result.',
    message: 'Quarantined mutation',
    body: nothing,
    data: quarantineEntry,
    errors: ['QUARANTINE_NOT_FOUND'],
  }),
  releaseQuarantined: operation({
    ...ofEntry,
    method: 'POST',
    path: '/ops/quarantine/:quarantine_id/release',
    role: 'repair',
    summary:
      'Applies an entry with its recorded author, times and id. If the rules refuse it again, it remains open, and the error code names the reason.',
    message: 'Released',
    body: releaseBody,
    data: releaseAnswer,
    ...decided(
      'QUARANTINE_NOT_FOUND',
      'NOT_ASSIGNED',
      'ROUTE_NOT_FOUND',
      'STOP_NOT_FOUND',
      'UNKNOWN_MUTATION',
      'ID_REUSED',
    ),
  }),
  dismissQuarantined: operation({
    ...ofEntry,
    method: 'POST',
    path: '/ops/quarantine/:quarantine_id/dismiss',
    role: 'repair',
    summary: 'Dismisses an entry; its driver receives the reason. It can still be released.',
    message: 'Dismissed',
    body: dismissBody,
    data: quarantineEntry,
    errors: ['QUARANTINE_NOT_FOUND', 'QUARANTINE_RELEASED', 'DECIDED_BEFORE'],
    errorData: { QUARANTINE_RELEASED: firstDecision, DECIDED_BEFORE: firstDecision },
  }),
} as const;

const itemFields = {
  quarantine_id: 'The id of the entry.',
  id: mutationWords.id,
  client_id: 'The queue that sent it; null for REST.',
  seq: 'Its place in that queue.',
  employee: 'The employee who sent it.',
  employee_name: employeeName,
  facility: 'As sent.',
  route_id: 'As sent.',
  week_end: 'As sent.',
  stop_id: 'As sent; null if unreadable.',
  name: 'The name of the mutation, such as `stop.update`.',
  code: 'The error code of the refusal.',
  reason: 'The same as a sentence.',
  details: 'Each fault with its path.',
  body: 'As received.',
  body_encoding: '`base64` if the bytes are not UTF-8.',
  received_at: 'UTC; the first time.',
  attempts:
    'The number of receipts. A REST request with the same content from the same employee counts here, with any key; an item of a queue counts once.',
  last_received_at: 'UTC; the latest time. A REST request that is released counts as of then.',
  state: 'Open, released or dismissed.',
  resolved_at: 'The time of the decision, UTC.',
  resolved_by: 'The name of the person who decided.',
  note: 'The note of that person.',
};

export const quarantineSchemas = [
  described('FirstDecision', firstDecision, 'The decision of another operator, which came first.', {
    by: 'The author.',
    at: 'UTC.',
    act: 'Its operation; absent for an edit on the host.',
  }),
  described('QuarantineQuery', quarantineQuery, 'Filters of the list; they combine.', {
    state: 'Open ones, released ones, dismissed ones, or all.',
    code: 'With this code, such as `STOP_NOT_FOUND`.',
    name: 'With this name of the mutation, such as `stop.update`.',
    ...pageWords,
  }),
  described('QuarantinedItem', quarantinedItem, 'A mutation that the server could not apply.', itemFields),
  described('QuarantineEntry', quarantineEntry, 'One entry in full.', {
    ...itemFields,
    source: mutationWords.source,
    device: 'The name of the device; blank for REST.',
    app: 'The app that sent it, and its version.',
    captured_at: 'By the clock of the phone, UTC; null where that is unreadable.',
    edit_time:
      'The same by the clock of the server, which orders changes. Null where it is unknown: then the time of receipt counts.',
    version: 'The route version that contains it since it was released.',
  }),
  described('QuarantineParams', quarantineParams, 'The key of an entry.', { quarantine_id: 'As in the list.' }),
  described('ReleaseBody', releaseBody, 'A decision, with a name to it.', {
    by: byWords,
    note: 'The reason why the server can apply it now.',
    seen: seenWords,
  }),
  described('ReleaseAnswer', releaseAnswer, 'The result, which the phone receives, too.', {
    item: 'The present entry.',
    changed: 'Whether any value of the stop has changed; false if it was applied before, or later edits win.',
    warnings: 'Warnings, as the driver would have received them.',
  }),
  described('DismissBody', dismissBody, 'A decision, with a name to it.', {
    by: byWords,
    reason: 'The reason of the dismissal; the driver receives it.',
    seen: seenWords,
  }),
  described('Fault', quarantinedItem.shape.details.def.element, 'A fault, with its path.', {
    path: 'Dotted, such as `stops.0.updates.status`.',
    message: 'For people.',
  }),
];
