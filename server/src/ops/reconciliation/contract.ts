import { blankIsAbsent, nothing, operation, pageMeta } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import { ofOperators, pageQuery, routeWords, tagged } from '../contract.ts';

// Operators' contract: the rows of the host, counted at the close of a route and at the end of a day.

/** Query of GET /api/ops/reconciliation. Filters combine. */
export const reconciliationQuery = z.object({
  state: z._default(z.enum(['all', 'differing']), 'all'),
  facility: blankIsAbsent(5),
  route_id: blankIsAbsent(10),
  /** YYYYMMDD. */
  day: blankIsAbsent(8),
  ...pageQuery,
});
export type ReconciliationQuery = z.infer<typeof reconciliationQuery>;

/** Rows of one kind. */
const rowCount = z.strictObject({
  accepted: z.int(),
  on_host: z.int(),
  parked: z.int(),
  late: z.int(),
  extra: z.int(),
  differs: z.boolean(),
});
export type RowCount = z.infer<typeof rowCount>;

/** Rows of the host, of a route or of a facility. */
export const reconciliationItem = z.strictObject({
  facility: z.string(),
  /** Null for a whole facility. */
  route_id: z.nullable(z.string()),
  week_end: z.nullable(z.string()),
  occasion: z.enum(['close', 'day']),
  day: z.string(),
  counted_at: z.iso.datetime(),
  differs: z.boolean(),
  stops: rowCount,
  lines: rowCount,
  exceptions: rowCount,
  photos: rowCount,
  differing_stops: z.array(z.int()),
});
export type ReconciliationItem = z.infer<typeof reconciliationItem>;

export const reconciliationOperations = {
  listReconciliation: operation({
    ...tagged,
    ...ofOperators,
    method: 'GET',
    path: '/ops/reconciliation',
    role: 'look',
    summary:
      'The rows of the host, counted by its own rows at the close of each route and at the end of each day; the newest count first.',
    message: 'Rows of the host',
    body: nothing,
    query: reconciliationQuery,
    data: z.array(reconciliationItem),
    meta: pageMeta,
    errors: [],
  }),
} as const;

export const reconciliationSchemas = [
  described('ReconciliationQuery', reconciliationQuery, 'Filters of the list.', {
    state: '`differing`: where host and service differ.',
    facility: 'Of this facility.',
    route_id: 'Of this route.',
    day: 'Of this day, YYYYMMDD.',
    ...pageWords,
  }),
  described('ReconciliationItem', reconciliationItem, 'Rows of the host, of a route or of a facility.', {
    ...routeWords,
    route_id: 'The route; null for the sum of a facility.',
    week_end: 'Its week; null for the sum of a facility.',
    occasion: '`close` of the route, or the end of a `day`.',
    day: 'The day of the close, or the day that ended, YYYYMMDD on the clock of the facility.',
    counted_at: 'UTC. A count that differs is repeated every 15 minutes for a week.',
    differs: 'Whether a row is neither on the host nor parked, or the host has one that was not accepted.',
    stops: 'Rows of RTSTUP.',
    lines: 'Rows of RTPRUP.',
    exceptions: 'Rows of RTOSDP that are not flagged as deleted.',
    photos: 'Photos and signatures: headers in ASSHDP that are ready, with all of their chunks.',
    differing_stops: 'The stops with a missing or an extra row; photos have no stop.',
  }),
  described('RowCount', rowCount, 'Rows of one kind.', {
    accepted: 'Records of drivers and the office, and photos that have arrived.',
    on_host: 'Of these, found on the host.',
    parked: 'Of these, not on the host because it refuses them or an operator has skipped them.',
    late: 'Of these, recorded or received after the close of the route.',
    extra: 'On the host, and not accepted by the service.',
    differs: 'Whether these rows differ.',
  }),
];
