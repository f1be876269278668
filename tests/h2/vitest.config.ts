import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * `npm run test:h2`: H2 in its mode for Db2 prepares the statements and the script of the host (Debian: libh2-java,
 * default-jre-headless). So it is no part of `npm test`.
 */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  ssr: { resolve: { conditions: ['source', 'node'], externalConditions: ['source', 'node'] } },
  test: { include: ['tests/h2/*.check.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
});
