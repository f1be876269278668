import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** `npm run test:citus`: every statement on a Citus cluster. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  ssr: { resolve: { conditions: ['source', 'node'], externalConditions: ['source', 'node'] } },
  test: {
    include: ['tests/citus/*.check.ts'],
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/each-file.ts'],
    pool: 'forks',
    maxWorkers: 1,
    reporters: ['verbose'],
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
