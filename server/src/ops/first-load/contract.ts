import { nothing, operation } from '@tailgate/sync-protocol';
import * as z from 'zod/mini';
import { described } from '../../http/openapi/described.ts';
import { ofOperators, tagged } from '../contract.ts';

// Operators' contract: routes that are new to the mirror, while they come from the host.

const firstLoad = z.strictObject({
  started_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  ended_at: z.nullable(z.iso.datetime()),
  routes: z.int(),
  loaded: z.int(),
  without_driver: z.int(),
  without_stops: z.int(),
  not_dispatched: z.int(),
  older: z.int(),
  open_from: z.string(),
  history: z.int(),
  closed_from: z.string(),
  off: z.int(),
  of_other_cells: z.int(),
  unusable: z.int(),
});

const firstLoadReport = z.strictObject({ load: z.nullable(firstLoad) });
export type FirstLoadReport = z.infer<typeof firstLoadReport>;

export const firstLoadOperations = {
  readFirstLoad: operation({
    ...tagged,
    ...ofOperators,
    method: 'GET',
    path: '/ops/first-load',
    role: 'look',
    summary:
      'The latest load of routes that were new to the server at the start of a worker: how many have come, which stay out.',
    message: 'First load',
    body: nothing,
    query: nothing,
    data: firstLoadReport,
    errors: [],
  }),
} as const;

export const firstLoadSchemas = [
  described('FirstLoadReport', firstLoadReport, 'The latest load.', {
    load: 'Null where no start has found new routes since this release.',
  }),
  described(
    'FirstLoad',
    firstLoad,
    'A load of new routes. A worker that is stopped goes on with the routes that are left at its next start, which counts anew.',
    {
      started_at: 'UTC.',
      updated_at: 'The last progress, UTC.',
      ended_at: 'UTC; null while routes are left.',
      routes: 'Routes in all: those that the server had at the start of the load, and those that come.',
      loaded: 'Of these, routes that the server has.',
      without_driver: 'Routes that come without a driver: no phone gets them until `RTDRVP` names one.',
      without_stops: 'Routes that come without a stop.',
      not_dispatched: 'Routes that come and are not dispatched yet: phones get them once `RHDSDT` is set.',
      older: 'Headers of weeks before `open_from`, which stay out.',
      open_from: 'The first week whose routes come, YYYYMMDD.',
      history: 'Closed routes of weeks before `closed_from`, which stay out.',
      closed_from: 'The first week whose closed routes come, YYYYMMDD.',
      off: 'Routes of facilities that are off, which stay out.',
      of_other_cells: 'Routes that other cells take.',
      unusable: 'Headers with a key that no route can have.',
    },
  ),
];
