import { defineConfig } from 'vitest/config';

export default defineConfig({
  // Workspace packages are taken as source: nothing is built before a test. Both lists are needed, `resolve` is not.
  ssr: { resolve: { conditions: ['source', 'node'], externalConditions: ['source', 'node'] } },
  test: {
    include: ['tests/**/*.test.ts', 'tests/**/*.test.tsx'],
    globalSetup: ['tests/support/global-setup.ts'],
    setupFiles: ['tests/support/each-file.ts'],
    // A process a file: what a test leaves open cannot reach the next file, and each-file.ts can see it.
    pool: 'forks',
    // Most files wait for processes, timers and disks: more of them than cores keeps two cores busy.
    maxWorkers: 3,
    // A busy machine is no failure: what hangs is found, what is slow is measured elsewhere.
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
  },
});
