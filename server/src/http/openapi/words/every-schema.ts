import { pageMeta } from '@tailgate/sync-protocol';
import { described } from '../described.ts';
import { assetSchemas } from './assets.ts';
import { authSchemas } from './auth.ts';
import { codeSchemas } from './codes.ts';
import { healthSchemas } from './health.ts';
import { reportSchemas } from './reports.ts';
import { routeSchemas } from './routes.ts';
import { stopSchemas } from './stops.ts';

/** The words of every schema of the drivers' operations, and of what all lists share. */
export const describedSchemas = [
  ...authSchemas,
  ...routeSchemas,
  ...stopSchemas,
  ...assetSchemas,
  ...codeSchemas,
  ...reportSchemas,
  ...healthSchemas,
  described('Page', pageMeta, 'Where a list goes on.', {
    next_cursor: 'To be sent as `cursor`; null on the last page.',
  }),
];
