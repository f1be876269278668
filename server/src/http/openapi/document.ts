import type { OperationName, PathSetName } from '@tailgate/sync-protocol';
import { operations, pathSets } from '@tailgate/sync-protocol';
import { anyError, ErrorResponses } from './errors.ts';
import type { Examples } from './example.ts';
import recorded from './examples.json' with { type: 'json' };
import { SchemaWriter } from './json-schema.ts';
import { headObject, operationObject } from './operation-object.ts';
import { about, headers, parameters, securitySchemes, tagOf, tags } from './preface.ts';
import { describedSchemas } from './words/every-schema.ts';

/** The whole REST interface, both path sets, as an OpenAPI 3.1 document. Where it stands is generated from the code. */
export function openapiDocument(version: string): object {
  const examples: Examples = recorded;
  const schemas = new SchemaWriter(describedSchemas);
  const errors = new ErrorResponses(schemas);
  const paths: Record<string, Record<string, object>> = {};
  for (const name of operationNames) {
    const operation = operations[name];
    const tag = tagOf(operation.path);
    for (const set of [...operation.sets].sort()) {
      const path = pathSets[set] + operation.path.replaceAll(/:(\w+)/g, '{$1}');
      const listing = { name: operationId(name, set), tag, example: examples[name] };
      const written = operationObject(operation, listing, { schemas, errors });
      const head = operation.answers === 'file' && { head: headObject(operation, listing, { schemas, errors }) };
      paths[path] = { ...paths[path], [operation.method.toLowerCase()]: written, ...head };
    }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Tailgate', version, description: about, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/', description: 'The server that shows this page' }],
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

const operationNames = Object.keys(operations).filter((name): name is OperationName => Object.hasOwn(operations, name));

/** The unprefixed set has the plain names. */
const operationId = (name: OperationName, set: PathSetName): string =>
  set === 'v20' && operations[name].sets.some((each) => each === 'current') ? `${name}V20` : name;
