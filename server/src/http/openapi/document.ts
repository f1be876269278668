import type { Operation, PathSetName } from '@tailgate/sync-protocol';
import { pageMeta, pathSets } from '@tailgate/sync-protocol';
import { described, type Described } from './described.ts';
import { anyError, ErrorResponses } from './errors.ts';
import type { Examples } from './example.ts';
import recorded from './examples.json' with { type: 'json' };
import { SchemaWriter } from './json-schema.ts';
import { headObject, operationObject } from './operation-object.ts';
import { about, headers, parameters, securitySchemes, tagOf, tags } from './preface.ts';
import { assetSchemas } from './words/assets.ts';
import { authSchemas } from './words/auth.ts';
import { cellSchemas } from './words/cells.ts';
import { codeSchemas } from './words/codes.ts';
import { healthSchemas } from './words/health.ts';
import { reportSchemas } from './words/reports.ts';
import { routeSchemas } from './words/routes.ts';
import { stopSchemas } from './words/stops.ts';

type AnyOperation = Operation<unknown, unknown, unknown>;

export interface Interface {
  /** By name, in the order of the document. */
  readonly operations: Readonly<Record<string, AnyOperation>>;
  /** Words for the schemas that `words/` does not describe. */
  readonly schemas: readonly Described[];
}

/**
 * A REST interface, both path sets, as an OpenAPI 3.1 document.
 *
 * @param server the server's address, relative to that of the document
 */
export function openapiDocument(version: string, server: string, { operations, schemas: words }: Interface): object {
  const examples: Examples = recorded;
  const schemas = new SchemaWriter([...describedSchemas, ...words]);
  const errors = new ErrorResponses(schemas);
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const tag = tagOf(operation.path);
    for (const set of [...operation.sets].sort()) {
      const path = pathSets[set] + operation.path.replaceAll(/:(\w+)/g, '{$1}');
      const listing = { name: operationId(name, operation, set), tag, example: examples[name] };
      const written = operationObject(operation, listing, { schemas, errors });
      const head = operation.answers === 'file' && { head: headObject(operation, listing, { schemas, errors }) };
      paths[path] = { ...paths[path], [operation.method.toLowerCase()]: written, ...head };
    }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Tailgate', version, description: about, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: server, description: 'The server that shows this page' }],
    tags,
    paths,
    components: {
      securitySchemes,
      parameters,
      headers,
      responses: errors.components,
      schemas: { Error: anyError, ...schemas.components },
    },
  };
}

/** The unprefixed set has the plain names. */
const operationId = (name: string, { sets }: AnyOperation, set: PathSetName): string =>
  set === 'v20' && sets.includes('current') ? `${name}V20` : name;

/** The described schemas of the drivers' operations, and of the pages of all lists. */
const describedSchemas = [
  ...authSchemas,
  ...cellSchemas,
  ...routeSchemas,
  ...stopSchemas,
  ...assetSchemas,
  ...codeSchemas,
  ...reportSchemas,
  ...healthSchemas,
  described('Page', pageMeta, 'The cursor of the next page.', {
    next_cursor: 'To be sent as `cursor`; null on the last page.',
  }),
];
