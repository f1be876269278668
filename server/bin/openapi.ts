import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { restDocument } from '../src/http/operations.ts';
import { channelDocument } from '../src/sync/asyncapi/document.ts';
import manifest from '../package.json' with { type: 'json' };

// `npm run openapi`: writes docs/openapi.json from the operations table, and docs/asyncapi.json from the schemas of the
// frames. Tests compare both with the code.

const documents = {
  'openapi.json': restDocument(manifest.version),
  'asyncapi.json': channelDocument(manifest.version),
};
for (const [name, document] of Object.entries(documents)) {
  const file = fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
  await writeFile(file, `${JSON.stringify(document, null, 2)}\n`);
  console.log(`wrote ${file}`);
}
