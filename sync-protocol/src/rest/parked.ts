import * as z from '#schema';
import { operation, nothing } from './operations.ts';
import { pageCursor, pageLimit, pageMeta } from '../schema/page.ts';
import { warning } from '../wire/mutation-result.ts';
import { said } from './said.ts';
import { stopObject } from '../schema/stops.ts';

// What the host refuses, for operators.

/** Query of GET /api/ops/parked. */
export const parkedQuery = z.object({
  state: z._default(z.enum(['open', 'skipped', 'all']), 'open'),
  limit: pageLimit,
  cursor: pageCursor,
});
export type ParkedQuery = z.infer<typeof parkedQuery>;

/** A stop, a route's own row or a row of its own that the host does not take. */
export const parkedItem = z.strictObject({
  parked_id: z.string(),
  /** RTSTUP stands for a stop with all of its rows, RTHDRP for a route's own row. */
  file: z.string(),
  key: z.string(),
  facility: z.nullable(z.string()),
  route_id: z.nullable(z.string()),
  week_end: z.nullable(z.string()),
  stop_id: z.nullable(z.int()),
  version: z.int(),
  sqlstate: z.string(),
  reason: z.string(),
  /** JSON, as text. */
  payload: z.string(),
  attempts: z.int(),
  parked_at: z.iso.datetime(),
  next_try_at: z.nullable(z.iso.datetime()),
  state: z.enum(['open', 'skipped']),
  skipped_at: z.nullable(z.iso.datetime()),
  skipped_by: z.nullable(z.string()),
  skip_reason: z.nullable(z.string()),
});
export type ParkedItem = z.infer<typeof parkedItem>;

export const parkedParams = z.object({ parked_id: z.uuid() });

/** Body of POST …/skip. */
export const skipBody = z.object({ by: said(40), reason: said(500) });
export type SkipBody = z.infer<typeof skipBody>;

/** Body of POST …/repair: what the stop should say instead, as the office's own edit. */
export const repairBody = z.object({ by: said(18), stop: stopObject });
export type RepairBody = z.infer<typeof repairBody>;

export const repairAnswer = z.strictObject({
  parked: parkedItem,
  /** Whether any value of the stop is another now. */
  changed: z.boolean(),
  warnings: z.array(warning),
});

const parkedOperation = { method: 'POST', sets: ['current'], access: 'operator', params: parkedParams } as const;

export const parkedOperations = {
  listParked: operation({
    method: 'GET',
    path: '/ops/parked',
    sets: ['current'],
    access: 'operator',
    summary: 'What the host refuses, newest first, with the reason and what was to be written.',
    message: 'Parked rows',
    body: nothing,
    query: parkedQuery,
    data: z.array(parkedItem),
    meta: pageMeta,
    errors: [],
  }),
  retryParked: operation({
    ...parkedOperation,
    path: '/ops/parked/:parked_id/retry',
    summary: 'Tries it again within seconds; what was skipped counts again.',
    message: 'It is tried again',
    body: nothing,
    query: nothing,
    data: parkedItem,
    errors: ['PARKED_NOT_FOUND'],
  }),
  skipParked: operation({
    ...parkedOperation,
    path: '/ops/parked/:parked_id/skip',
    summary: 'The host does without it: not tried any more until the same row changes again.',
    message: 'Skipped',
    body: skipBody,
    query: nothing,
    data: parkedItem,
    errors: ['PARKED_NOT_FOUND'],
  }),
  repairParked: operation({
    ...parkedOperation,
    path: '/ops/parked/:parked_id/repair',
    summary: 'Corrects the stop as an edit of the office, and tries it again.',
    message: 'Repaired',
    body: repairBody,
    query: nothing,
    data: repairAnswer,
    errors: ['PARKED_NOT_FOUND'],
  }),
} as const;
