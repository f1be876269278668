import {
  clientFrame,
  feedDocuments,
  mutation,
  mutationArgs,
  pullAnswer,
  pushAnswer,
  pushBody,
  serverFrame,
  snapshotBody,
} from '@tailgate/sync-protocol';
import type { ZodMiniType } from 'zod/mini';
import * as z from 'zod/mini';

/** Rules that JSON Schema cannot express. */
const beyond =
  'Lengths of text are characters (Unicode code points). Text with NUL or half of a surrogate pair is refused, and a key ' +
  'with any control character.';

/**
 * The source of generated types in other languages: every schema of the protocol, by its file name in `docs/protocol`.
 */
export function protocolSchemas(): Map<string, object> {
  const schemas = new Map([
    schemaFile('client-frame', 'A frame that a client sends', clientFrame, 'input'),
    schemaFile('server-frame', 'A frame that the server sends', serverFrame, 'output'),
    schemaFile('snapshot', 'The body of GET /api/sync/snapshot', snapshotBody, 'output'),
    schemaFile('push-request', 'The body of POST /api/sync/push', pushBody, 'input'),
    schemaFile('push-answer', 'The answer to POST /api/sync/push', pushAnswer, 'output'),
    schemaFile('pull-answer', 'The answer to GET /api/sync/pull', pullAnswer, 'output'),
    schemaFile('mutation', 'A sealed mutation; its args have schemas of their own', mutation, 'input'),
  ]);
  for (const [name, schema] of Object.entries<ZodMiniType>(feedDocuments)) {
    // The input of the schemas: their output fits it, too, and has types.
    const [file, content] = schemaFile(`document-${name}`, `The value of a feed's document: ${name}`, schema, 'input');
    schemas.set(file, content);
  }
  for (const [name, versions] of Object.entries(mutationArgs))
    for (const [version, schema] of Object.entries<ZodMiniType>(versions)) {
      const [file, content] = schemaFile(
        `${name.replaceAll(/[._]/g, '-')}-${version}`,
        `args of ${name}, version ${version}`,
        schema,
        'input',
      );
      schemas.set(file, content);
    }
  return schemas;
}

/** @param io the client's message (`input`) or the server's (`output`) */
function schemaFile(name: string, title: string, schema: ZodMiniType, io: 'input' | 'output'): [string, object] {
  const content = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'ref', override: open });
  return [`${name}.schema.json`, { title, description: beyond, ...content }];
}

/** A newer server sends additional fields, and clients ignore unknown fields (docs/protocol.md, Frames). */
function open({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}
