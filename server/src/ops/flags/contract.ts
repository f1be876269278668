import { blankIsAbsent, nothing, operation, pageMeta, warning } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import { mutationWords, ofOperators, pageQuery, stopWords } from '../contract.ts';

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
  edit_time: z.iso.datetime(),
  received_at: z.iso.datetime(),
  warnings: z.array(warning),
});
export type FlaggedChange = z.infer<typeof flaggedChange>;

export const flagOperations = {
  listFlags: operation({
    method: 'GET',
    path: '/ops/flags',
    role: 'look',
    ...ofOperators,
    summary: 'Saved changes with a warning that a person should read, newest first.',
    message: 'Flagged changes',
    body: nothing,
    query: flagQuery,
    data: z.array(flaggedChange),
    meta: pageMeta,
    errors: [],
  }),
} as const;

export const flagSchemas = [
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
    edit_time: 'The time of the record by the clock of the server, UTC.',
    received_at: 'UTC.',
    warnings: 'The warnings.',
  }),
];
