import { blankIsAbsent, nothing, operation, pageMeta, queryNumber } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import { blankInstant, ofOperators, pageQuery, stopWords, tagged } from '../contract.ts';

// Operators' contract: acts of the office.

/** Query of GET /api/ops/acts. Filters combine. */
const actQuery = z.object({
  by: blankIsAbsent(48),
  subject_kind: blankIsAbsent(20),
  subject: blankIsAbsent(64),
  facility: blankIsAbsent(5),
  route_id: blankIsAbsent(10),
  week_end: blankIsAbsent(8),
  stop_id: queryNumber(1, 32_767),
  employee: blankIsAbsent(10),
  from: blankInstant,
  until: blankInstant,
  ...pageQuery,
});
export type ActQuery = z.infer<typeof actQuery>;

const actItem = z.strictObject({
  act_id: z.string(),
  at: z.iso.datetime(),
  by: z.string(),
  act: z.string(),
  subject_kind: z.string(),
  subject: z.string(),
  facility: z.nullable(z.string()),
  route_id: z.nullable(z.string()),
  week_end: z.nullable(z.string()),
  stop_id: z.nullable(z.int()),
  employee: z.nullable(z.string()),
  reason: z.string(),
  /** JSON, as text: each act has its own values. */
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
});
export type ActItem = z.infer<typeof actItem>;

export const actOperations = {
  listActs: operation({
    ...tagged,
    ...ofOperators,
    method: 'GET',
    path: '/ops/acts',
    role: 'look',
    summary: 'Acts of the office, newest first: who did what to which subject, why, and the values before and after.',
    message: 'Acts',
    body: nothing,
    query: actQuery,
    data: z.array(actItem),
    meta: pageMeta,
    errors: [],
  }),
} as const;

export const actSchemas = [
  described('ActQuery', actQuery, 'Which acts. Filters combine.', {
    by: 'Of this operator, or of this program: `machine:NAME`.',
    subject_kind: 'On subjects of this kind, such as `parked` or `quarantine`.',
    subject: 'On this subject, by its id.',
    facility: 'On stops of this facility.',
    route_id: 'On stops of this route.',
    week_end: 'In this week.',
    stop_id: 'On this stop.',
    employee: 'That concern this driver.',
    from: 'Not before this instant.',
    until: 'Before this instant.',
    ...pageWords,
  }),
  described('Act', actItem, 'One act of the office.', {
    act_id: 'Names it.',
    at: 'UTC.',
    by: 'An operator, `machine:NAME` for a program with `OPS_TOKEN`, `link:ID` for the recipient of a link, or the name of a command.',
    act: 'The operation, by its `operationId`.',
    subject_kind:
      'What it was done to: `parked`, `quarantine`, `incident`, `device`, `driver`, `hold`, `legal-hold`, `invitation`, `operator`, `proof` (a sent delivery summary), `evidence` (a pack) or `database` (a restore, a healed clock). There may be more one day.',
    subject: 'The id of the subject.',
    ...stopWords,
    facility: 'Facility of the route; null where the act concerns no route.',
    employee: 'The driver whom it concerns; null where it concerns none.',
    reason: 'Why, in the words of the author; blank where none were asked for.',
    before: 'JSON, as text: the values before. Null where there was nothing.',
    after: 'JSON, as text: the values after.',
  }),
];
