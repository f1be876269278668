import { nothing, operation } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { ofOperators, stopWords, tagged } from '../contract.ts';

// Operators' contract: what needs a person, by cause.

export const attentionKinds = [
  'parked',
  'quarantine',
  'incident',
  'flag',
  'silent_phone',
  'missing_file',
  'hold',
  'late_close',
] as const;
export type AttentionKind = (typeof attentionKinds)[number];

const attentionItem = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  facility: z.nullable(z.string()),
  route_id: z.nullable(z.string()),
  week_end: z.nullable(z.string()),
  stop_id: z.nullable(z.int()),
  employee: z.nullable(z.string()),
  text: z.string(),
});
export type AttentionItem = z.infer<typeof attentionItem>;

const suggestion = z.strictObject({
  act: z.enum([
    'repair',
    'retry_all',
    'review',
    'release',
    'acknowledge',
    'call_driver',
    'end_hold',
    'call_host',
    'wait',
  ]),
  /** The name of the operation; null where the act is outside the API. */
  operation: z.nullable(z.string()),
});
export type Suggestion = z.infer<typeof suggestion>;

const consequence = z.enum([
  'host_lacks_stop',
  'host_lacks_row',
  'close_waits',
  'not_applied',
  'unread',
  'saved_already',
  'lost_with_phone',
  'proof_incomplete',
  'host_gets_nothing',
  'route_stays_open',
]);
export type Consequence = z.infer<typeof consequence>;

const runningAct = z.strictObject({
  act: z.string(),
  by: z.string(),
  at: z.iso.datetime(),
  count: z.int(),
  ends_at: z.nullable(z.iso.datetime()),
});

export const attentionCause = z.strictObject({
  cause: z.string(),
  kind: z.enum(attentionKinds),
  count: z.int(),
  capped: z.boolean(),
  oldest_at: z.iso.datetime(),
  newest_at: z.iso.datetime(),
  since: z.iso.datetime(),
  file: z.nullable(z.string()),
  code: z.nullable(z.string()),
  message: z.string(),
  items: z.array(attentionItem),
  suggested: suggestion,
  otherwise: consequence,
  running: z.nullable(runningAct),
});
export type AttentionCause = z.infer<typeof attentionCause>;

const attentionCounts = z.strictObject({
  total: z.int(),
  parked: z.int(),
  quarantine: z.int(),
  incident: z.int(),
  flag: z.int(),
  silent_phone: z.int(),
  missing_file: z.int(),
  hold: z.int(),
  late_close: z.int(),
});
export type AttentionCounts = z.infer<typeof attentionCounts>;

const attention = z.strictObject({ counts: attentionCounts, causes: z.array(attentionCause) });
export type Attention = z.infer<typeof attention>;

export const attentionOperations = {
  readAttention: operation({
    ...tagged,
    ...ofOperators,
    role: 'look',
    method: 'GET',
    path: '/ops/attention',
    summary:
      'Everything that needs a person, grouped by cause, the oldest first. Each cause has its oldest entries, a suggested act and the consequence without one.',
    message: 'Needs a person',
    body: nothing,
    query: nothing,
    data: attention,
    errors: [],
  }),
} as const;

const countWords = {
  total: 'The sum.',
  parked: 'Rows that the host refuses, except skipped ones.',
  quarantine: 'Entries of open quarantine.',
  incident: 'Incidents that no person has acknowledged, except missing files.',
  flag: 'Flags of the last three days that no person has reviewed.',
  silent_phone: 'Phones with pending items that did not report for an hour.',
  missing_file: 'Files that a stop names and that have not come for an hour.',
  hold: 'Holds without an end that are in force for more than an hour.',
  late_close: 'Routes that are open two days after their dispatch, and closes that wait for parked stops.',
};

export const attentionSchemas = [
  described('Attention', attention, 'What needs a person.', {
    counts: 'Entries by kind, for a badge.',
    causes: 'The oldest first.',
  }),
  described('AttentionCounts', attentionCounts, 'Entries by kind.', countWords),
  described('AttentionCause', attentionCause, 'Entries of one kind with one cause.', {
    cause: 'The id of the cause. It stays the same while entries come and go.',
    kind: 'What the entries are.',
    count: 'The number of entries.',
    capped: 'Whether there may be more: the server counts at most 10,000 parked rows and 2,000 of any other kind.',
    oldest_at: 'The time of the oldest entry, UTC; of a file, since when it is awaited.',
    newest_at: 'The time of the newest entry, UTC.',
    since: 'Since when the oldest entry needs a person, UTC.',
    file: 'The file of the host, for parked rows.',
    code: 'The SQLSTATE, the code of the refusal, the kind of the incident, or the code of the warning.',
    message: 'The message of the newest entry: of the host, of the rules, or the reason of a hold.',
    items: 'The oldest five.',
    suggested: 'The act that usually helps.',
    otherwise: 'The consequence if no person acts.',
    running: 'A retry of all entries that is under way.',
  }),
  described('AttentionItem', attentionItem, 'One entry.', {
    ...stopWords,
    id: 'As in the list of its kind: a parked row, a quarantined entry, an incident, a mutation, a queue, a file, a hold, or `facility/route/week`.',
    at: 'The time of the entry, UTC.',
    employee: 'The driver, where the entry names one.',
    text: 'The message, the driver’s name with the device, or the author of the hold; may be blank.',
  }),
  described('Suggestion', suggestion, 'An act that usually helps.', {
    act: 'The act.',
    operation: 'The operation of this document that does it; null where the act is outside the API.',
  }),
  described('RunningAct', runningAct, 'An act that is under way.', {
    act: 'The name of the operation.',
    by: 'Its author.',
    at: 'UTC.',
    count: 'The number of entries.',
    ends_at: 'The time at which the last entry is due, UTC.',
  }),
];
