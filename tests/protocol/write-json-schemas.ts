import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { protocolSchemas } from './json-schemas.ts';

const folder = join(import.meta.dirname, '../../docs/protocol');

for (const [file, schema] of protocolSchemas())
  await writeFile(join(folder, file), `${JSON.stringify(schema, null, 2)}\n`);
