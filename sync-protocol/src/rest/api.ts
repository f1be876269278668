import * as z from '#schema';
import { assetOperations } from './asset-operations.ts';
import { authOperations } from './auth-operations.ts';
import { codeOperations } from './code-operations.ts';
import { deviceOperations } from './devices.ts';
import { invitationOperations } from './invitations.ts';
import { diagnosticOperations } from './diagnostics.ts';
import { emailOperations } from './email-operations.ts';
import { flagQuery, flaggedChange } from './flags.ts';
import { historyOperations } from './history.ts';
import { holdOperations } from './hold.ts';
import { incidentOperations } from './incidents.ts';
import { nothing, operation } from './operations.ts';
import { pageMeta } from '../schema/page.ts';
import { parkedOperations } from './parked.ts';
import { healthPayload, readinessPayload } from './payloads.ts';
import { quarantineOperations } from './quarantine.ts';
import { reportOperations } from './report-operations.ts';
import { replicationOperations } from './replication.ts';
import { routeOperations } from './route-operations.ts';

const both = ['v20', 'current'] as const;

/** Every REST operation, one table. The server does not compile without a handler for each. */
export const operations = {
  ...authOperations,

  ...routeOperations,

  ...emailOperations,

  health: operation({
    method: 'GET',
    path: '/health',
    sets: both,
    access: 'public',
    summary: 'Liveness. Touches no database.',
    message: 'ok',
    body: nothing,
    query: nothing,
    data: healthPayload,
    errors: [],
  }),
  readiness: operation({
    method: 'GET',
    path: '/health/ready',
    sets: both,
    access: 'public',
    summary: 'Readiness: each dependency; 503 while one is missing without which no request can be served.',
    message: 'ready',
    body: nothing,
    query: nothing,
    data: readinessPayload,
    errors: ['DATABASE_UNAVAILABLE'],
    errorData: { DATABASE_UNAVAILABLE: readinessPayload },
  }),

  ...diagnosticOperations,
  ...assetOperations,
  ...codeOperations,
  ...reportOperations,
  ...parkedOperations,
  ...holdOperations,
  ...replicationOperations,
  ...quarantineOperations,
  ...incidentOperations,
  ...deviceOperations,
  ...invitationOperations,
  ...historyOperations,

  listFlags: operation({
    method: 'GET',
    path: '/ops/flags',
    sets: ['current'],
    access: 'operator',
    summary: 'What was taken in although a person should know something about it, newest first.',
    message: 'Flagged changes',
    body: nothing,
    query: flagQuery,
    data: z.array(flaggedChange),
    meta: pageMeta,
    errors: [],
  }),
} as const;
export type OperationName = keyof typeof operations;
