import { blankIsAbsent, nothing, operation } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { ofOperators, routeWords, tagged } from '../contract.ts';

// Operators' contract: facilities in shadow, compared with what another system writes to the host.

/** Query of GET /api/ops/shadow. Filters combine. */
const shadowQuery = z.object({
  facility: blankIsAbsent(5),
  /** YYYYMMDD. */
  day: blankIsAbsent(8),
});

const shadowMode = z.strictObject({
  /** Null for the default. */
  facility: z.nullable(z.string()),
  mode: z.enum(['off', 'shadow', 'live']),
});

const shadowExample = z.strictObject({
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.nullable(z.int()),
  row: z.string(),
  tailgate: z.string(),
  other_system: z.string(),
});
export type ShadowExample = z.infer<typeof shadowExample>;

const shadowKind = z.strictObject({
  verdict: z.enum(['different', 'missing there', 'missing here']),
  file: z.string(),
  column: z.string(),
  label: z.string(),
  count: z.int(),
  first: z.array(shadowExample),
});

export const shadowReport = z.strictObject({
  modes: z.array(shadowMode),
  routes: z.int(),
  complete: z.boolean(),
  stops: z.int(),
  equal_stops: z.int(),
  same: z.int(),
  excused: z.int(),
  kinds: z.array(shadowKind),
});
export type ShadowReport = z.infer<typeof shadowReport>;

export const shadowOperations = {
  readShadow: operation({
    ...tagged,
    ...ofOperators,
    method: 'GET',
    path: '/ops/shadow',
    role: 'look',
    summary: 'Routes in shadow: what the service would write, compared with what another system has written.',
    message: 'Comparison of routes in shadow',
    body: nothing,
    query: shadowQuery,
    data: shadowReport,
    errors: [],
  }),
} as const;

export const shadowSchemas = [
  described('ShadowQuery', shadowQuery, 'Which routes.', {
    facility: 'Of this facility.',
    day: 'Dispatched on this day, YYYYMMDD.',
  }),
  described(
    'ShadowReport',
    shadowReport,
    'Routes in shadow, compared column by column as of the last poll of the host.',
    {
      modes: 'The mode of the default and of each facility that has one of its own.',
      routes: 'The compared routes, those of the newest weeks first, at most 2000.',
      complete: 'False where there are more routes; `npm run ops -- shadow` compares all.',
      stops: 'Their stops, and one row for each route itself.',
      equal_stops: 'Of these, without a difference.',
      same: 'Columns with equal values.',
      excused: 'Columns that differ, and that a rule excuses (SHADOW_RULES).',
      kinds: 'The differences by kind, the most frequent first.',
    },
  ),
  described('ShadowMode', shadowMode, 'The mode of a facility.', {
    facility: 'The facility; null for the default.',
    mode: '`off`: neither read nor written. `shadow`: read and compared. `live`: read and written.',
  }),
  described('ShadowKind', shadowKind, 'A kind of difference.', {
    verdict:
      '`different` values, or a row that one side lacks: `missing there`, at the other system, or `missing here`.',
    file: 'The file of the host.',
    column: 'Its column; blank for a missing row.',
    label: 'The text of the column.',
    count: 'How often.',
    first: 'The first five.',
  }),
  described('ShadowExample', shadowExample, 'A difference.', {
    ...routeWords,
    stop_id: "The stop; null for the route's own row.",
    row: "The row's key below the stop.",
    tailgate: 'The value that the service would write.',
    other_system: 'The value on the host.',
  }),
];
