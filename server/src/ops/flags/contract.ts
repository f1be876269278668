import { blankIsAbsent, nothing, operation, pageMeta, warning } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import {
  author,
  byWords,
  employeeName,
  mutationWords,
  ofOperators,
  pageQuery,
  requiredText,
  stopWords,
  tagged,
} from '../contract.ts';

// Operators' contract: changes saved with a warning.

/** Query of GET /api/ops/flags. Filters combine. */
export const flagQuery = z.object({
  facility: blankIsAbsent(5),
  route_id: blankIsAbsent(10),
  /** The code of a warning, such as `after_close`. */
  code: blankIsAbsent(40),
  ...pageQuery,
});
export type FlagQuery = z.infer<typeof flagQuery>;

/** A saved change with a warning that a person should read (contract §4). */
export const flaggedChange = z.strictObject({
  /** The mutation's own id. */
  id: z.string(),
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  stop_id: z.int(),
  /** The route version with this change. */
  version: z.int(),
  source: z.enum(['sync', 'rest', 'office', 'timer']),
  employee: z.string(),
  employee_name: z.string(),
  edit_time: z.iso.datetime(),
  received_at: z.iso.datetime(),
  warnings: z.array(warning),
});
export type FlaggedChange = z.infer<typeof flaggedChange>;

/** Body of POST /api/ops/flags/review. */
const reviewBody = z.object({
  by: author,
  note: z.optional(z.nullable(requiredText(500))),
  code: requiredText(40).check(z.regex(/^[a-z_]+$/, 'must be the code of a warning')),
  through: z.iso.datetime({ offset: true }),
});
export type ReviewBody = z.infer<typeof reviewBody>;

export const flagReview = z.strictObject({
  code: z.string(),
  reviewed_through: z.iso.datetime(),
  by: z.string(),
  at: z.iso.datetime(),
});
export type FlagReview = z.infer<typeof flagReview>;

export const flagOperations = {
  reviewFlags: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/flags/review',
    role: 'repair',
    summary:
      'Records that a person has read the flags of one code up to a moment. They leave `GET /api/ops/attention`, and stay in this list and at their stops.',
    message: 'Reviewed',
    body: reviewBody,
    query: nothing,
    data: flagReview,
    errors: [],
  }),
  listFlags: operation({
    ...tagged,
    method: 'GET',
    path: '/ops/flags',
    role: 'look',
    ...ofOperators,
    summary:
      'Saved changes with a warning that a person should read, newest first, from ten seconds after their receipt on.',
    message: 'Flagged changes',
    body: nothing,
    query: flagQuery,
    data: z.array(flaggedChange),
    meta: pageMeta,
    errors: [],
  }),
} as const;

export const flagSchemas = [
  described('FlagReviewBody', reviewBody, 'Which flags a person has read.', {
    by: byWords,
    note: 'Their finding or action.',
    code: 'The code of the warning.',
    through:
      'The receipt of the last one. An instant less than ten seconds ago is refused: an earlier one could still come.',
  }),
  described('FlagReview', flagReview, 'The latest review of the flags of one code.', {
    code: 'The code of the warning.',
    reviewed_through: 'Flags received until then are read, UTC. It never moves back.',
    by: 'The author of the latest review.',
    at: 'Its time, UTC.',
  }),
  described('FlagQuery', flagQuery, 'Filters of changes; they combine.', {
    facility: 'Of this facility.',
    route_id: 'Of this route, in any week.',
    code: 'With a warning of this code, such as `after_close`.',
    ...pageWords,
  }),
  described('FlaggedChange', flaggedChange, 'A saved change with a warning that a person should read.', {
    ...mutationWords,
    ...stopWords,
    employee: 'The employee who recorded it.',
    employee_name: employeeName,
    edit_time: 'The time of the record by the clock of the server, UTC.',
    received_at: 'UTC.',
    warnings: 'The warnings.',
  }),
];
