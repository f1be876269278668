import { blankIsAbsent, nothing, operation, pageMeta } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described, pageWords } from '../../http/openapi/described.ts';
import { holdItem } from '../holds/contract.ts';
import { ofOperators, pageQuery, routeWords, tagged } from '../contract.ts';

// Operators' contract: the backlog of the host.

/** Rows of the mirror that one file of the host lacks in their current version. */
export const fileBacklog = z.strictObject({
  /** RTSTUP means stops with all of their rows. */
  file: z.enum(['RTSTUP', 'PODUSRP', 'RTDRVP', 'LCRHDP', 'ASSHDP']),
  behind: z.int(),
  parked: z.int(),
  oldest_pending_at: z.nullable(z.iso.datetime()),
});
export type FileBacklog = z.infer<typeof fileBacklog>;

/** A worker's circuit breaker; there is one for the whole host. */
const breakerState = z.strictObject({
  state: z.enum(['closed', 'open']),
  failures: z.int(),
  since: z.nullable(z.iso.datetime()),
  reason: z.string(),
});

const pausedFile = z.strictObject({ file: z.string(), reason: z.string(), since: z.iso.datetime() });

export const workerStatus = z.strictObject({
  worker: z.string(),
  /** Null where the worker did not report it. */
  node: z.nullable(z.string()),
  started_at: z.iso.datetime(),
  seen_at: z.iso.datetime(),
  alive: z.boolean(),
  /** Null where the worker did not report it. */
  breaker: z.nullable(breakerState),
  paused: z.array(pausedFile),
});
export type WorkerStatus = z.infer<typeof workerStatus>;

export const replicationStatus = z.strictObject({
  lag_seconds: z.number(),
  routes_behind: z.int(),
  versions_behind: z.int(),
  parked: z.int(),
  hold: z.nullable(holdItem),
  files: z.array(fileBacklog),
  workers: z.array(workerStatus),
});
export type ReplicationStatus = z.infer<typeof replicationStatus>;

/** The highest values that workers saw in five minutes. */
const lagSample = z.strictObject({
  at: z.iso.datetime(),
  lag_seconds: z.int(),
  routes_behind: z.int(),
  parked: z.int(),
  host_away: z.boolean(),
  on_hold: z.boolean(),
});

/** Query of GET /api/ops/replication/routes. */
export const routeBacklogQuery = z.object({ facility: blankIsAbsent(5), ...pageQuery });
export type RouteBacklogQuery = z.infer<typeof routeBacklogQuery>;

/** A route with changes that the host lacks. */
export const routeBacklog = z.strictObject({
  facility: z.string(),
  route_id: z.string(),
  week_end: z.string(),
  version: z.int(),
  hosted_through: z.int(),
  parked: z.int(),
  changed_at: z.iso.datetime(),
  oldest_pending_at: z.nullable(z.iso.datetime()),
  /** A worker replicates it now, or has postponed it for a moment. */
  claimed: z.boolean(),
  claimed_by: z.nullable(z.string()),
});
export type RouteBacklog = z.infer<typeof routeBacklog>;

const operatorRead = { ...ofOperators, method: 'GET', body: nothing, errors: [] } as const;

export const replicationOperations = {
  readReplication: operation({
    ...operatorRead,
    path: '/ops/replication',
    role: 'look',
    summary: 'The backlog of the host by file, and the state of its workers.',
    message: 'Replication',
    query: nothing,
    data: replicationStatus,
  }),
  listHostLag: operation({
    ...tagged,
    ...operatorRead,
    path: '/ops/replication/lag',
    role: 'look',
    summary: 'How far the host was behind in the last 24 hours: one sample for each five minutes with a worker.',
    message: 'Lag of the host',
    query: nothing,
    data: z.array(lagSample),
  }),
  listRouteBacklog: operation({
    ...tagged,
    ...operatorRead,
    path: '/ops/replication/routes',
    role: 'look',
    summary: 'Routes with changes that the host lacks, the longest wait first.',
    message: 'Routes behind',
    query: routeBacklogQuery,
    data: z.array(routeBacklog),
    meta: pageMeta,
  }),
} as const;

export const replicationSchemas = [
  described('ReplicationStatus', replicationStatus, 'The backlog of the host, from the mirror.', {
    lag_seconds: 'Age of the oldest change of a route that the host does not have; 0 where it has all of them.',
    routes_behind: 'Routes with changes that are not on the host.',
    versions_behind: 'The number of versions of these routes that the host lacks: about the number of changes.',
    parked: 'Rows that the host rejects, except skipped ones: `GET /api/ops/parked`.',
    hold: 'The hold that stops all writes; null if replication runs.',
    files: 'The backlog of each file of the host.',
    workers: 'The processes that replicate, running ones first. Without one, no change reaches the host.',
  }),
  described('FileBacklog', fileBacklog, 'The backlog of one file of the host.', {
    file: '`RTSTUP` means stops with all of their rows.',
    behind: 'The number of rows, or stops, whose present state the host lacks.',
    parked: 'The number of them that the host refuses.',
    oldest_pending_at: 'The time of the oldest of them, UTC.',
  }),
  described('WorkerStanding', workerStatus, 'A process that replicates.', {
    worker: 'The id of the process.',
    node: 'The name of its machine; null for a worker of an older release.',
    started_at: 'UTC.',
    seen_at: 'Its last heartbeat, UTC.',
    alive: 'Whether it sent a heartbeat within the last 20 s.',
    breaker: 'Its circuit breaker; null for a worker of an older release.',
    paused: 'Host files that are not set up for the service; their rows wait.',
  }),
  described('BreakerState', breakerState, 'The circuit breaker of a worker.', {
    state: '`open`: the host does not answer; the worker only probes it.',
    failures: 'Consecutive failures; a successful write sets it to 0.',
    since: 'The time at which it opened, UTC.',
    reason: 'The message of the host, with its SQLSTATE.',
  }),
  described('PausedFile', pausedFile, 'A file that is missing, of another layout, or without authority.', {
    file: 'Its name.',
    reason: 'The message of the host, with its SQLSTATE.',
    since: 'UTC.',
  }),
  described('LagSample', lagSample, 'The highest values that workers saw in five minutes.', {
    at: 'The beginning of the five minutes, UTC.',
    lag_seconds: 'Age of the oldest change of a route that the host lacked.',
    routes_behind: 'Routes with changes that were not on the host.',
    parked: 'Rows that the host rejected.',
    host_away: 'Whether the host did not answer at some moment.',
    on_hold: 'Whether a hold was in force at some moment.',
  }),
  described('RouteBacklogQuery', routeBacklogQuery, 'Filters of the list.', {
    facility: 'Of this facility.',
    ...pageWords,
  }),
  described('RouteBacklog', routeBacklog, 'A route with changes that the host lacks.', {
    ...routeWords,
    version: 'The present version of the route.',
    hosted_through: 'The version that the host has confirmed.',
    parked: 'The number of its rows (stops, or its own row) that the host refuses.',
    changed_at: 'Its last change, UTC.',
    oldest_pending_at: 'The receipt of the oldest change that the host lacks, UTC; null if only its plan has changed.',
    claimed: 'Whether a worker holds its lease or has postponed it.',
    claimed_by: 'The id of that worker, as in the list of workers; else null.',
  }),
];
