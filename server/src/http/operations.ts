import { operations as driverOperations } from '@tailgate/sync-protocol';
import { opsOperations, opsSchemas } from '../ops/operations.ts';
import { openapiDocument } from './openapi/document.ts';

/** Every REST operation, one table. The server does not compile without an endpoint for each. */
export const operations = { ...driverOperations, ...opsOperations } as const;
export type OperationName = keyof typeof operations;

/** The OpenAPI document of the whole REST interface. As a file it names no server but the reader's own. */
export const restDocument = (version: string, server = '/'): object =>
  openapiDocument(version, server, { operations, schemas: opsSchemas });
