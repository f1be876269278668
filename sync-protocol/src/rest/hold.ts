import * as z from '#schema';
import { nothing, operation } from './operations.ts';
import { said } from './said.ts';

// When nothing is written to the host, for operators.

/** A time in which nothing is written to the host; without an end it lasts until somebody ends it. */
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
    by: said(40),
    reason: said(500),
    from: instant,
    until: instant,
  })
  .check(
    z.refine(({ from, until }) => !from || !until || Date.parse(from) < Date.parse(until), {
      error: 'must be later than from',
      path: ['until'],
    }),
  );
export type HoldBody = z.infer<typeof holdBody>;

export const holdParams = z.object({ hold_id: z.uuid() });

const ofOperators = { sets: ['current'], access: 'operator', query: nothing } as const;

export const holdOperations = {
  listHolds: operation({
    ...ofOperators,
    method: 'GET',
    path: '/ops/hold',
    summary: 'Whether replication to the host is on hold, and when it will be. Empty: it runs.',
    message: 'Holds in force and to come',
    body: nothing,
    data: z.array(holdItem),
    errors: [],
  }),
  beginHold: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/hold',
    summary:
      'Puts replication on hold, now or in a maintenance window. Drivers notice nothing but a receipt that waits.',
    message: 'On hold',
    body: holdBody,
    data: holdItem,
    errors: [],
  }),
  endHold: operation({
    ...ofOperators,
    method: 'POST',
    path: '/ops/hold/:hold_id/end',
    params: holdParams,
    summary: 'Ends a hold, or cancels one to come; the host’s own switch only the host ends.',
    message: 'The hold has ended',
    body: nothing,
    data: holdItem,
    errors: ['HOLD_NOT_FOUND'],
  }),
} as const;
