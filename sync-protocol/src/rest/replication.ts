import * as z from '#schema';
import { holdItem } from './hold.ts';
import { nothing, operation } from './operations.ts';
import { blankIsAbsent, pageCursor, pageLimit, pageMeta } from '../schema/page.ts';

// How far the host is behind, for operators.

/** Rows of the mirror that one file of the host does not have as they are. */
export const fileBacklog = z.strictObject({
  /** RTSTUP stands for stops with all of their rows. */
  file: z.enum(['RTSTUP', 'PODUSRP', 'RTDRVP', 'LCRHDP', 'ASSHDP']),
  behind: z.int(),
  parked: z.int(),
  oldest_pending_at: z.nullable(z.iso.datetime()),
});
export type FileBacklog = z.infer<typeof fileBacklog>;

/** A worker's breaker towards the host: one for the host as a whole. */
export const breakerState = z.strictObject({
  state: z.enum(['closed', 'open']),
  failures: z.int(),
  since: z.nullable(z.iso.datetime()),
  reason: z.string(),
});

export const pausedFile = z.strictObject({ file: z.string(), reason: z.string(), since: z.iso.datetime() });

/** What a worker says of itself with each beat. */
export const workerState = z.strictObject({ breaker: breakerState, paused: z.array(pausedFile) });
export type WorkerState = z.infer<typeof workerState>;

export const workerStanding = z.strictObject({
  worker: z.string(),
  started_at: z.iso.datetime(),
  seen_at: z.iso.datetime(),
  alive: z.boolean(),
  /** Null where it has not said. */
  breaker: z.nullable(breakerState),
  paused: z.array(pausedFile),
});
export type WorkerStanding = z.infer<typeof workerStanding>;

export const replicationStatus = z.strictObject({
  lag_seconds: z.number(),
  routes_behind: z.int(),
  versions_behind: z.int(),
  parked: z.int(),
  hold: z.nullable(holdItem),
  files: z.array(fileBacklog),
  workers: z.array(workerStanding),
});
export type ReplicationStatus = z.infer<typeof replicationStatus>;

/** Query of GET /api/ops/replication/routes. */
export const routeBacklogQuery = z.object({ facility: blankIsAbsent(5), limit: pageLimit, cursor: pageCursor });
export type RouteBacklogQuery = z.infer<typeof routeBacklogQuery>;

/** A route with something that the host does not have. */
export const routeBacklog = z.strictObject({
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  version: z.int(),
  hosted_through: z.int(),
  parked: z.int(),
  changed_at: z.iso.datetime(),
  oldest_pending_at: z.nullable(z.iso.datetime()),
  /** A worker is at it now, or has put it off for a moment. */
  claimed: z.boolean(),
});
export type RouteBacklog = z.infer<typeof routeBacklog>;

const lookOfOperators = { method: 'GET', sets: ['current'], access: 'operator', body: nothing, errors: [] } as const;

export const replicationOperations = {
  readReplication: operation({
    ...lookOfOperators,
    path: '/ops/replication',
    summary: 'How far the host is behind, by file, and how its workers stand with it.',
    message: 'Replication',
    query: nothing,
    data: replicationStatus,
  }),
  listRouteBacklog: operation({
    ...lookOfOperators,
    path: '/ops/replication/routes',
    summary: 'Routes with something that the host does not have, the one that has waited longest first.',
    message: 'Routes behind',
    query: routeBacklogQuery,
    data: z.array(routeBacklog),
    meta: pageMeta,
  }),
} as const;
