import { nothing, operation } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import {
  author,
  byWords,
  decided,
  decision,
  ofOperators,
  optionalByWords,
  requiredText,
  seen,
  seenWords,
  tagged,
} from '../contract.ts';

// Operators' contract: times without writes to the host.

/** A time without writes to the host. A hold without an end lasts until an operator ends it. */
export const holdItem = z.strictObject({
  hold_id: z.string(),
  source: z.enum(['operator', 'host']),
  from: z.iso.datetime(),
  until: z.nullable(z.iso.datetime()),
  reason: z.string(),
  by: z.string(),
  in_force: z.boolean(),
});
export type HoldItem = z.infer<typeof holdItem>;

const instant = z.optional(z.nullable(z.iso.datetime({ offset: true })));

/** Body of POST /api/ops/hold. */
export const holdBody = z
  .object({
    ...decision,
    from: instant,
    until: instant,
    seen,
  })
  .check(
    z.refine(({ from, until }) => !from || !until || Date.parse(from) < Date.parse(until), {
      error: 'must be later than from',
      path: ['until'],
    }),
  );
export type HoldBody = z.infer<typeof holdBody>;

/** Body of POST …/end. */
const endHoldBody = z.nullish(z.object({ by: author, reason: z.optional(z.nullable(requiredText(500))) }));

const holdParams = z.object({ hold_id: z.uuid() });

const listed = { ...ofOperators, query: nothing } as const;

export const holdOperations = {
  listHolds: operation({
    ...tagged,
    ...listed,
    method: 'GET',
    path: '/ops/hold',
    role: 'look',
    summary: 'Holds of the replication, in force and to come. Empty: replication runs.',
    message: 'Holds in force and to come',
    body: nothing,
    data: z.array(holdItem),
    errors: [],
  }),
  beginHold: operation({
    ...listed,
    method: 'POST',
    path: '/ops/hold',
    role: 'admin',
    summary:
      'Puts replication on hold, now or in a maintenance window. Drivers work on; only host receipts wait. A hold from now on within a hold of another operator is refused.',
    message: 'On hold',
    body: holdBody,
    data: holdItem,
    ...decided(),
  }),
  endHold: operation({
    ...listed,
    method: 'POST',
    path: '/ops/hold/:hold_id/end',
    role: 'admin',
    params: holdParams,
    summary: 'Ends a hold, or cancels one to come. Only the host can end its own hold.',
    message: 'The hold has ended',
    body: endHoldBody,
    data: holdItem,
    ...decided('HOLD_NOT_FOUND'),
  }),
} as const;

export const holdSchemas = [
  described('HoldBody', holdBody, 'Beginning, end and reason of a hold.', {
    by: byWords,
    reason: 'The reason, such as planned maintenance.',
    from: 'Absent: from now on.',
    until: 'Absent: until an operator ends it. A time in the past is refused.',
    seen: seenWords,
  }),
  described('EndHoldBody', endHoldBody.def.innerType.def.innerType, 'Author and reason. The body may be absent.', {
    by: optionalByWords,
    reason: 'The reason.',
  }),
  described('HoldParams', holdParams, 'The key of a hold.', { hold_id: 'As in the list.' }),
  described('HoldItem', holdItem, 'A time in which nothing is written to the host.', {
    hold_id: 'The id of the hold.',
    source: '`host` for the switch of the host itself (`PODCTLP`), which only the host ends.',
    from: 'UTC.',
    until: 'UTC; null for a hold without an end.',
    reason: 'The reason of the hold.',
    by: 'The author.',
    in_force: 'Whether it has begun.',
  }),
];
