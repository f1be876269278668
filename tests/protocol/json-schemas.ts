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

/** What a JSON Schema has no word for. */
const beyond =
  'Lengths of text are characters (Unicode code points). Text with NUL or half of a surrogate pair is refused, and a key ' +
  'with any control character.';

/** What other languages generate their types from: every schema of the protocol by its file's name in `docs/protocol`. */
export function protocolSchemas(): Map<string, object> {
  const schemas = new Map([
    told('client-frame', 'A frame that a client sends', clientFrame, 'input'),
    told('server-frame', 'A frame that the server sends', serverFrame, 'output'),
    told('snapshot', 'The body of GET /api/sync/snapshot', snapshotBody, 'output'),
    told('push-request', 'The body of POST /api/sync/push', pushBody, 'input'),
    told('push-answer', 'The answer to POST /api/sync/push', pushAnswer, 'output'),
    told('pull-answer', 'The answer to GET /api/sync/pull', pullAnswer, 'output'),
    told('mutation', 'A sealed mutation; its args have schemas of their own', mutation, 'input'),
  ]);
  for (const [name, schema] of Object.entries<ZodMiniType>(feedDocuments)) {
    // As it was written: what came out of the schemas' transforms fits into that, too, and has types.
    const [file, content] = told(`document-${name}`, `The value of a feed's document: ${name}`, schema, 'input');
    schemas.set(file, content);
  }
  for (const [name, versions] of Object.entries(mutationArgs))
    for (const [version, schema] of Object.entries<ZodMiniType>(versions)) {
      const [file, content] = told(
        `${name.replaceAll(/[._]/g, '-')}-${version}`,
        `args of ${name}, version ${version}`,
        schema,
        'input',
      );
      schemas.set(file, content);
    }
  return schemas;
}

/** @param io what a client may send (`input`), or what it gets (`output`) */
function told(name: string, title: string, schema: ZodMiniType, io: 'input' | 'output'): [string, object] {
  const content = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'ref', override: open });
  return [`${name}.schema.json`, { title, description: beyond, ...content }];
}

/** A newer server says more, and who does not know it ignores it (docs/protocol.md, Frames). */
function open({ jsonSchema }: { jsonSchema: { additionalProperties?: unknown } }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}
