import {
  breakerState,
  fileBacklog,
  pausedFile,
  replicationStatus,
  routeBacklog,
  routeBacklogQuery,
  workerStanding,
} from '@tailgate/sync-protocol';
import { described } from '../described.ts';
import { pageWords } from './page.ts';

// Ours, for operators: how far the host is behind.

export const replicationSchemas = [
  described('ReplicationStatus', replicationStatus, 'How far the host is behind, as the mirror has it.', {
    lag_seconds: 'Age of the oldest change of a route that the host does not have; 0 where it has all of them.',
    routes_behind: 'Routes with something that the host does not have.',
    versions_behind: 'How many versions of routes that is: about as many changes.',
    parked: 'What the host refuses and nobody has skipped: `GET /api/ops/parked`.',
    hold: 'Why nothing is written at all; null where replication runs.',
    files: 'What each file of the host lacks.',
    workers: 'The processes that replicate, those that live first; without one nothing reaches the host.',
  }),
  described('FileBacklog', fileBacklog, 'What one file of the host lacks.', {
    file: '`RTSTUP` stands for stops with all of their rows.',
    behind: 'Rows, or stops, that the host does not have as they are.',
    parked: 'How many of them it refuses.',
    oldest_pending_at: 'Since when the oldest of them waits, UTC.',
  }),
  described('WorkerStanding', workerStanding, 'A process that replicates.', {
    worker: 'Names it until it ends.',
    started_at: 'UTC.',
    seen_at: 'When it was heard of last, UTC.',
    alive: 'Heard of within the last 20 s.',
    breaker: 'How it stands with the host as a whole; null where it is of an older release.',
    paused: 'Files of the host that are not set up for us; what needs them waits.',
  }),
  described('BreakerState', breakerState, 'Whether a worker holds the host for reachable.', {
    state: '`open`: away, and only asked now and then.',
    failures: 'In a row; a write that came through sets it to 0.',
    since: 'When it opened, UTC.',
    reason: 'What the host said, with its SQLSTATE.',
  }),
  described('PausedFile', pausedFile, 'A file that is missing, of another layout, or without authority.', {
    file: 'Its name.',
    reason: 'What the host said, with its SQLSTATE.',
    since: 'UTC.',
  }),
  described('RouteBacklogQuery', routeBacklogQuery, 'Which routes.', {
    facility: 'Of this facility.',
    ...pageWords,
  }),
  described('RouteBacklog', routeBacklog, 'A route with something that the host does not have.', {
    facility: 'Facility of the route.',
    route_id: 'The route.',
    week_end: 'Its week.',
    version: 'What the route is at.',
    hosted_through: 'What the host has of it.',
    parked: 'How many of its stops, or its own row, the host refuses.',
    changed_at: 'Its last change, UTC.',
    oldest_pending_at:
      'When the oldest change came that the host does not have, UTC; null where only its plan has moved.',
    claimed: 'A worker is at it, or has put it off for a moment.',
  }),
];
