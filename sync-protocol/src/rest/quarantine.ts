import * as z from '#schema';
import { warning } from '../wire/mutation-result.ts';
import { nothing, operation } from './operations.ts';
import { pageCursor, pageLimit, pageMeta } from '../schema/page.ts';
import { said } from './said.ts';
import { text } from '../schema/values.ts';

// What was sent and could not be applied, for operators.

/** Query of GET /api/ops/quarantine. */
export const quarantineQuery = z.object({
  state: z._default(z.enum(['open', 'released', 'dismissed', 'all']), 'open'),
  limit: pageLimit,
  cursor: pageCursor,
});
export type QuarantineQuery = z.infer<typeof quarantineQuery>;

/** What was sent and could not be applied. It is kept as it came until somebody releases or dismisses it. */
export const quarantinedItem = z.strictObject({
  quarantine_id: z.string(),
  /** The mutation's own id. */
  id: z.string(),
  client_id: z.nullable(z.string()),
  seq: z.nullable(z.int()),
  employee: z.string(),
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.nullable(z.int()),
  name: z.string(),
  code: z.string(),
  reason: z.string(),
  details: z.array(z.object({ path: z.string(), message: z.string() })),
  /** The bytes as text; `body_encoding` says base64 where they are no UTF-8. */
  body: z.string(),
  body_encoding: z.enum(['utf-8', 'base64']),
  received_at: z.iso.datetime(),
  /** A retry of a refused REST request adds no entry; an item of a queue is known by its id. */
  attempts: z.int(),
  last_received_at: z.iso.datetime(),
  state: z.enum(['open', 'released', 'dismissed']),
  resolved_at: z.nullable(z.iso.datetime()),
  resolved_by: z.nullable(z.string()),
  note: z.nullable(z.string()),
});
export type QuarantinedItem = z.infer<typeof quarantinedItem>;

/** One of them in full: with what its list leaves out. */
export const quarantineEntry = z.strictObject({
  ...quarantinedItem.shape,
  source: z.enum(['sync', 'rest', 'office', 'timer']),
  /** As the master has it; blank where it has none. */
  employee_name: z.string(),
  device: z.string(),
  app: z.string(),
  captured_at: z.nullable(z.iso.datetime()),
  edit_time: z.nullable(z.iso.datetime()),
  /** The route version that contains it since it was released; null for a report. */
  version: z.nullable(z.int()),
});
export type QuarantineEntry = z.infer<typeof quarantineEntry>;

export const quarantineParams = z.object({ quarantine_id: z.uuid() });

/** Body of POST …/release. */
export const releaseBody = z.object({ by: said(40), note: z._default(text(500), '') });
export type ReleaseBody = z.infer<typeof releaseBody>;

export const releaseAnswer = z.strictObject({
  item: quarantineEntry,
  /** Whether any value of the stop is another now; false where it was applied before, or stale in every field. */
  changed: z.boolean(),
  warnings: z.array(warning),
});
export type ReleaseAnswer = z.infer<typeof releaseAnswer>;

/** Body of POST …/dismiss. */
export const dismissBody = z.object({ by: said(40), reason: said(500) });
export type DismissBody = z.infer<typeof dismissBody>;

const ofOperators = { sets: ['current'], access: 'operator' } as const;
const ofEntry = { ...ofOperators, params: quarantineParams, query: nothing } as const;

export const quarantineOperations = {
  listQuarantine: operation({
    ...ofOperators,
    method: 'GET',
    path: '/ops/quarantine',
    summary: 'What was sent and could not be applied, newest first, with the reason and the text as it came.',
    message: 'Quarantined mutations',
    body: nothing,
    query: quarantineQuery,
    data: z.array(quarantinedItem),
    meta: pageMeta,
    errors: [],
  }),
  readQuarantined: operation({
    ...ofEntry,
    method: 'GET',
    path: '/ops/quarantine/:quarantine_id',
    summary: 'One of them in full: who recorded it on what, when, and what became of it.',
    message: 'Quarantined mutation',
    body: nothing,
    data: quarantineEntry,
    errors: ['QUARANTINE_NOT_FOUND'],
  }),
  releaseQuarantined: operation({
    ...ofEntry,
    method: 'POST',
    path: '/ops/quarantine/:quarantine_id/release',
    summary:
      'Applies it as recorded: its author, its times, its id. Refused again, it stays as it is, and the code says why.',
    message: 'Released',
    body: releaseBody,
    data: releaseAnswer,
    errors: [
      'QUARANTINE_NOT_FOUND',
      'NOT_ASSIGNED',
      'ROUTE_NOT_FOUND',
      'STOP_NOT_FOUND',
      'UNKNOWN_MUTATION',
      'ID_REUSED',
    ],
  }),
  dismissQuarantined: operation({
    ...ofEntry,
    method: 'POST',
    path: '/ops/quarantine/:quarantine_id/dismiss',
    summary: 'It will not be applied; its driver is told why. It can still be released.',
    message: 'Dismissed',
    body: dismissBody,
    data: quarantineEntry,
    errors: ['QUARANTINE_NOT_FOUND', 'QUARANTINE_RELEASED'],
  }),
} as const;
