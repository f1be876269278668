import { assetOperations } from './asset-operations.ts';
import { authOperations } from './auth-operations.ts';
import { cellOperations } from './cell-operations.ts';
import { codeOperations } from './code-operations.ts';
import { diagnosticOperations } from './diagnostics.ts';
import { emailOperations } from './email-operations.ts';
import { nothing, operation } from './operations.ts';
import { healthPayload, readinessPayload } from './payloads.ts';
import { proofOperations } from './proof-operations.ts';
import { reportOperations } from './report-operations.ts';
import { routeOperations } from './route-operations.ts';

const both = ['v20', 'current'] as const;

/** The REST operations of drivers and their apps, one table. The server adds those of its operators. */
export const operations = {
  ...authOperations,
  ...cellOperations,

  ...routeOperations,

  ...emailOperations,
  ...proofOperations,

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
    summary: 'Readiness of each dependency; 503 while a required one is missing.',
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
} as const;
export type OperationName = keyof typeof operations;
