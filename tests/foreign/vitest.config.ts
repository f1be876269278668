import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * `npm run test:foreign`: the commands of `VERIFY.txt`, by programs of others (Debian: poppler-utils, jq, unzip, openssl).
 * So it is no part of `npm test`.
 */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  ssr: { resolve: { conditions: ['source', 'node'], externalConditions: ['source', 'node'] } },
  test: { include: ['tests/foreign/*.check.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
});
