import { nothing, operation } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import {
  author,
  byWords,
  decided,
  decision,
  ofOperators,
  placeQuery,
  requiredText,
  seen,
  seenWords,
  tagged,
} from '../contract.ts';

// Operators' contract: records that retention leaves alone.

export const legalHold = z.strictObject({
  legal_hold_id: z.string(),
  facility: z.string(),
  route_id: z.nullable(z.string()),
  week_end: z.nullable(z.string()),
  stop_id: z.nullable(z.int()),
  customer: z.nullable(z.string()),
  reason: z.string(),
  placed_at: z.iso.datetime(),
  placed_by: z.string(),
  until: z.nullable(z.iso.datetime()),
  released_at: z.nullable(z.iso.datetime()),
  released_by: z.nullable(z.string()),
});
export type LegalHold = z.infer<typeof legalHold>;

type Scoped = {
  readonly route_id?: string | null | undefined;
  readonly week_end?: string | null | undefined;
  readonly stop_id?: number | null | undefined;
  readonly customer?: string | null | undefined;
};

/** A stop, a route, or a customer: the fields of one of them. */
const faults: readonly (readonly [path: string, message: string, isWrong: (scope: Scoped) => boolean])[] = [
  ['route_id', 'is required without a customer', ({ route_id, customer }) => route_id == null && customer == null],
  ['customer', 'is not allowed with a route', ({ route_id, customer }) => route_id != null && customer != null],
  ['week_end', 'is required for a route', ({ route_id, week_end }) => route_id != null && week_end == null],
  ['week_end', 'is not allowed without a route', ({ route_id, week_end }) => route_id == null && week_end != null],
  ['stop_id', 'is not allowed without a route', ({ route_id, stop_id }) => route_id == null && stop_id != null],
];

const holdScope = z
  .object({
    facility: requiredText(5),
    route_id: z.optional(z.nullable(requiredText(10))),
    week_end: z.optional(z.nullable(requiredText(8))),
    stop_id: z.optional(z.nullable(z.int().check(z.gte(1), z.lte(32_767)))),
    customer: z.optional(z.nullable(requiredText(10))),
  })
  .check(
    ...faults.map(([field, error, isWrong]) => z.refine<Scoped>((scope) => !isWrong(scope), { error, path: [field] })),
  );

/** Body of POST /api/ops/legal-hold. */
const legalHoldBody = z.object({
  ...decision,
  scope: holdScope,
  until: z.optional(z.nullable(z.iso.datetime({ offset: true }))),
});
export type LegalHoldBody = z.infer<typeof legalHoldBody>;

const legalHoldQuery = placeQuery();
export type LegalHoldQuery = z.infer<typeof legalHoldQuery>;

const legalHoldParams = z.object({ legal_hold_id: z.uuid() });

const releaseBody = z.object({ by: author, reason: requiredText(500), seen });

export const legalHoldOperations = {
  listLegalHolds: operation({
    ...ofOperators,
    ...tagged,
    method: 'GET',
    path: '/ops/legal-hold',
    role: 'look',
    summary:
      'Legal holds in force, the oldest first, 500 at most: all, those of a facility, or those that cover a route or a stop.',
    message: 'Legal holds in force',
    body: nothing,
    query: legalHoldQuery,
    data: z.array(legalHold),
    errors: [],
  }),
  placeLegalHold: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/legal-hold',
    role: 'repair',
    summary:
      'Exempts the records of a stop, a route or a customer from retention: changes, files, mails, acts and the route itself.',
    message: 'Held',
    body: legalHoldBody,
    query: nothing,
    data: legalHold,
    errors: ['ROUTE_NOT_FOUND', 'STOP_NOT_FOUND'],
  }),
  releaseLegalHold: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/legal-hold/:legal_hold_id/release',
    role: 'admin',
    params: legalHoldParams,
    summary: 'Ends a legal hold. Retention deletes what is older than its time.',
    message: 'Released',
    body: releaseBody,
    query: nothing,
    data: legalHold,
    ...decided('HOLD_NOT_FOUND'),
  }),
} as const;

const scopeWords = {
  facility: 'Facility of the routes.',
  route_id: 'The route. Absent for a customer.',
  week_end: 'Its week.',
  stop_id: 'One stop of the route. Absent: all stops.',
  customer: 'All stops of this customer, those to come included. Absent for a route.',
};

export const legalHoldSchemas = [
  described(
    'LegalHoldScope',
    holdScope,
    'The records to keep: a stop, a route, or the stops of a customer.',
    scopeWords,
  ),
  described('LegalHoldBody', legalHoldBody, 'Scope, reason and end of a legal hold.', {
    by: byWords,
    reason: 'Why the records are needed: a claim, a case number.',
    scope: 'The records to keep.',
    until: 'Absent: until an operator releases it. A time in the past is refused.',
  }),
  described('LegalHoldQuery', legalHoldQuery, 'Which holds. Without a field: all.', {
    facility: 'Those of this facility.',
    route_id: 'Those that cover this route, or one of its stops.',
    week_end: 'The week of the route.',
    stop_id: 'Those that cover this stop.',
  }),
  described('LegalHoldParams', legalHoldParams, 'The key of a legal hold.', { legal_hold_id: 'As in the list.' }),
  described('LegalHoldRelease', releaseBody, 'The author and the reason of the release.', {
    by: byWords,
    reason: 'Why the records are no longer needed.',
    seen: seenWords,
  }),
  described('LegalHold', legalHold, 'Records that retention leaves alone.', {
    legal_hold_id: 'The id of the hold.',
    facility: 'Facility of the routes.',
    route_id: 'The route; null for a customer.',
    week_end: 'Its week; null for a customer.',
    stop_id: 'The stop; null for a whole route or a customer.',
    customer: 'The customer whose stops are held; null for a route or a stop.',
    reason: 'Why the records are needed.',
    placed_at: 'UTC.',
    placed_by: 'The author.',
    until: 'The end, UTC; null for a hold without an end.',
    released_at: 'When it was released, UTC; null while it was not.',
    released_by: 'The operator who released it.',
  }),
];
