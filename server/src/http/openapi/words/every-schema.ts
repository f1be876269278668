import { authSchemas } from './auth.ts';
import { healthSchemas } from './health.ts';
import { opsSchemas } from './ops.ts';
import { routeSchemas } from './routes.ts';
import { stopSchemas } from './stops.ts';

/** Every schema that has words, one list. */
export const describedSchemas = [...authSchemas, ...routeSchemas, ...stopSchemas, ...healthSchemas, ...opsSchemas];
