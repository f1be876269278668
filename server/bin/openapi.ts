import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { restDocument } from '../src/http/operations.ts';
import manifest from '../package.json' with { type: 'json' };

// `npm run openapi`: writes docs/openapi.json from the operations table. A test compares the two.

const file = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
await writeFile(file, `${JSON.stringify(restDocument(manifest.version), null, 2)}\n`);
console.log(`wrote ${file}`);
