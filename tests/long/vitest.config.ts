import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/**
 * `npm run test:long`: tests named `*.check.ts`, which are too slow for `npm test`. Each starts processes or waits for real
 * limits of time. The other folders with such files have a run of their own.
 */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  ssr: { resolve: { conditions: ['source', 'node'], externalConditions: ['source', 'node'] } },
  test: {
    include: ['tests/{host,nodes,package,sdk,server,support,system,verify,web}/**/*.check.ts'],
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/each-file.ts'],
    pool: 'forks',
    // As in the suite: modules are loaded once a process, and the files mostly wait.
    isolate: false,
    maxWorkers: 3,
    // Prints measurements, too.
    reporters: ['verbose'],
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
